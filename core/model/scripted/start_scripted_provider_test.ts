import assert from "node:assert/strict";
import { systemWorld } from "../../base/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { type ProviderScriptInput, runScriptedProvider, startScriptedProvider } from "./mod.ts";

type Wire = "anthropic" | "openai";
const PATHS = { anthropic: "/v1/messages", openai: "/v1/chat/completions" };

function post(url: string, wire: Wire, body: JsonObject = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(url + PATHS[wire], {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer key" },
    body: JSON.stringify({
      model: "m",
      max_tokens: 100,
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: "user", content: "hello" }],
      ...body,
    }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** The `data:` documents of a stream, by the plainest reading of it. */
function documents(text: string): JsonObject[] {
  return text.split(/\r\n|\r|\n/).filter((line) => line.startsWith("data:") && !line.includes("[DONE]"))
    .map((line) => JSON.parse(line.slice(5)));
}

async function streamed(wire: Wire, turn: ProviderScriptInput["turns"][number]): Promise<string> {
  await using provider = await startScriptedProvider({ turns: [turn] });
  return await (await post(provider.url, wire)).text();
}

/** The sizes of the HTTP chunks of a raw answer. */
async function chunkSizes(turn: ProviderScriptInput["turns"][number]): Promise<number[]> {
  await using provider = await startScriptedProvider({ turns: [turn] });
  using conn = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(provider.url).port) });
  const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "x" }] });
  const head =
    `POST /chat/completions HTTP/1.1\r\nauthorization: k\r\ncontent-length: ${body.length}\r\n\r\n`;
  await conn.write(new TextEncoder().encode(head + body));
  let raw = "";
  const buffer = new Uint8Array(65536);
  while (!raw.endsWith("\r\n0\r\n\r\n")) {
    const read = await conn.read(buffer);
    if (read === null) break;
    raw += new TextDecoder("latin1").decode(buffer.subarray(0, read));
  }
  const sizes: number[] = [];
  let rest = raw.slice(raw.indexOf("\r\n\r\n") + 4);
  while (rest !== "") {
    const size = parseInt(rest, 16);
    sizes.push(size);
    rest = rest.slice(rest.indexOf("\r\n") + 2 + size + 2);
  }
  return sizes;
}

Deno.test("the Anthropic wire streams thinking, text and a tool call with usage and stop reason", async () => {
  const text = await streamed("anthropic", {
    thinking: "hm",
    text: ["Hel", "lo"],
    tool_calls: [{ name: "Read", input: { path: "a" } }],
    usage: { input: 7, output: 9, cache_read: 3 },
  });
  assert.ok(text.startsWith("event: message_start\ndata: {"));
  const events = documents(text);
  assert.deepEqual(events.map((event) => event.type), [
    "message_start",
    "content_block_start",
    "ping",
    "content_block_delta",
    "content_block_delta",
    "content_block_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_delta",
    "content_block_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
  const start = events[0]?.message as JsonObject;
  assert.deepEqual(start.usage, {
    input_tokens: 7,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 3,
    output_tokens: 1,
  });
  assert.deepEqual(events[11]?.delta, { type: "input_json_delta", partial_json: "" });
  assert.deepEqual(events.at(-2)?.delta, { stop_reason: "tool_use", stop_sequence: null });
  assert.deepEqual(events.at(-2)?.usage, { output_tokens: 9 });
});

Deno.test("the OpenAI wire streams the same turn with a usage chunk and [DONE]", async () => {
  const text = await streamed("openai", {
    thinking: "hm",
    text: "Hello",
    tool_calls: [{ name: "Read", input: { path: "a" }, id: "call_0" }],
    usage: { input: 7, output: 9, cache_read: 3 },
  });
  assert.ok(text.endsWith("data: [DONE]\n\n"));
  const chunks = documents(text);
  const deltas = chunks.flatMap((chunk) => (chunk.choices as JsonObject[]).map((choice) => choice.delta));
  assert.deepEqual(deltas, [
    { role: "assistant", content: "" },
    { reasoning_content: "hm" },
    { content: "Hello" },
    { tool_calls: [{ index: 0, id: "call_0", type: "function", function: { name: "Read", arguments: "" } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"path":"a"}' } }] },
    {},
  ]);
  assert.deepEqual(chunks.at(-1)?.choices, []);
  assert.deepEqual((chunks.at(-1)?.usage as JsonObject).prompt_tokens, 10);
});

Deno.test("a request that does not stream is answered whole on both wires", async () => {
  const turn = { text: "Hi", tool_calls: [{ name: "Read", input: {} }], repeat: true };
  await using provider = await startScriptedProvider({ turns: [turn] });
  const message = await (await post(provider.url, "anthropic", { stream: false })).json();
  assert.deepEqual(message.content, [
    { type: "text", text: "Hi" },
    { type: "tool_use", id: "toolu_scripted_1_0", name: "Read", input: {} },
  ]);
  const completion = await (await post(provider.url, "openai", { stream: false })).json();
  assert.equal(completion.choices[0].message.tool_calls[0].function.arguments, "{}");
  assert.equal(completion.choices[0].finish_reason, "tool_calls");
});

Deno.test("line ends, BOM, missing space, missing event names and a missing last blank line are as asked", async () => {
  for (const [line_ending, eol] of [["crlf", "\r\n"], ["cr", "\r"], ["lf", "\n"]] as const) {
    const text = await streamed("anthropic", {
      text: "你好😀",
      fault: { line_ending, no_space: true, no_event_names: true, no_final_blank: true },
    });
    assert.ok(text.startsWith(`data:{"type":"message_start"`));
    assert.ok(text.endsWith(`data:{"type":"message_stop"}${eol}`) && !text.endsWith(eol + eol));
    assert.ok(!text.includes("event:"));
    assert.equal(text.includes("\n"), eol !== "\r");
    assert.equal(documents(text).length, 7);
  }
  await using provider = await startScriptedProvider({ turns: [{ text: "a", fault: { bom: true } }] });
  const bytes = await (await post(provider.url, "openai")).bytes();
  assert.deepEqual([...bytes.slice(0, 5)], [0xef, 0xbb, 0xbf, 0x64, 0x61]);
});

Deno.test("split_data spreads one document over several data lines", async () => {
  const text = await streamed("openai", { text: "a", fault: { split_data: true } });
  const [first] = text.split("\n\n");
  const joined = first?.split("\n").map((line) => line.slice(6)).join("\n") ?? "";
  assert.ok(joined.includes("\n"));
  assert.equal(JSON.parse(joined).object, "chat.completion.chunk");
});

Deno.test("chunk_bytes writes exactly that many bytes at a time", async () => {
  const sizes = await chunkSizes({ text: "abc", fault: { chunk_bytes: 7 } });
  assert.ok(sizes.length > 20);
  assert.ok(sizes.slice(0, -2).every((size) => size === 7), String(sizes));
});

Deno.test("a cut breaks the body at the byte asked for, or ends it as if complete", async () => {
  for (const bytes of [0, 1, 200]) {
    const ended = await streamed("openai", { text: "abc", fault: { cut_after_bytes: bytes, cut: "end" } });
    assert.equal(ended.length, bytes);
    await using provider = await startScriptedProvider({
      turns: [{ text: "abc", fault: { cut_after_bytes: bytes } }],
    });
    await assert.rejects(async () => await (await post(provider.url, "openai")).text());
    assert.equal((await provider.waitForEnd(1)).outcome, "cut");
  }
  const text = await streamed("anthropic", { text: "abc", fault: { cut_after_frames: 2, cut: "end" } });
  assert.deepEqual(documents(text).map((event) => event.type), ["message_start", "content_block_start"]);
});

Deno.test("a stalled stream sends keep-alives without data until the client goes", async () => {
  for (const [keep_alive, expected] of [["comment", ": keep-alive"], ["ping", "event: ping"]] as const) {
    await using provider = await startScriptedProvider({
      turns: [{ text: "abc", fault: { stall_after_frames: 1, keep_alive, keep_alive_ms: 1 } }],
    });
    const client = new AbortController();
    const response = await post(provider.url, "anthropic", {}, client.signal);
    let text = "";
    try {
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
        text += part;
        if (text.split(expected).length > 3) client.abort();
      }
      assert.fail("the stream ended by itself");
    } catch (error) {
      assert.equal((error as Error).name, "AbortError");
    }
    assert.equal(documents(text)[0]?.type, "message_start");
    assert.equal((await provider.waitForEnd(1)).outcome, "gone");
  }
});

Deno.test("close() ends a stalled stream and frees the port", async () => {
  const provider = await startScriptedProvider({ turns: [{ text: "a", fault: { stall_after_bytes: 0 } }] });
  const response = await post(provider.url, "openai");
  const read = assert.rejects(response.text());
  await provider.close();
  await read;
  await assert.rejects(fetch(provider.url));
});

Deno.test("an error mid-stream has the wire's own shape and nothing after it", async () => {
  const turn = { text: ["a", "b"], fault: { error_after_frames: 3 } };
  const anthropic = await streamed("anthropic", turn);
  assert.ok(anthropic.includes("event: error\n"));
  assert.deepEqual(documents(anthropic).at(-1)?.error, { type: "overloaded_error", message: "Overloaded" });
  const openai = await streamed("openai", turn);
  assert.ok(!openai.includes("[DONE]"));
  const error = documents(openai).at(-1)?.error as JsonObject;
  assert.equal(error.message, "Overloaded");
});

Deno.test("HTTP errors carry the texts of the wire and Retry-After", async () => {
  const expected = {
    rate_limit: [429, 429],
    overloaded: [529, 503],
    server_error: [500, 500],
    auth: [401, 401],
    overflow: [400, 400],
    not_found: [404, 404],
    bad_request: [400, 400],
  } as const;
  for (const [http, statuses] of Object.entries(expected)) {
    await using provider = await startScriptedProvider({
      turns: [{ repeat: true, fault: { http: http as keyof typeof expected, retry_after: "2" } }],
    });
    for (const [at, wire] of (["anthropic", "openai"] as const).entries()) {
      const response = await post(provider.url, wire);
      assert.equal(response.status, statuses[at]);
      assert.equal(response.headers.get("retry-after"), "2");
      const body = await response.json();
      assert.equal(typeof body.error.message, "string");
      if (http === "overflow" && wire === "openai") assert.equal(body.error.code, "context_length_exceeded");
    }
  }
  await using provider = await startScriptedProvider({
    turns: [{ fault: { http: { status: 418, headers: { "x-a": "b" }, body: { a: 1 } } } }],
  });
  const response = await post(provider.url, "openai");
  assert.deepEqual([response.status, response.headers.get("x-a"), await response.json()], [418, "b", {
    a: 1,
  }]);
});

Deno.test("the content type can be wrong or absent", async () => {
  for (const content_type of ["text/html", null]) {
    await using provider = await startScriptedProvider({ turns: [{ text: "a", fault: { content_type } }] });
    const response = await post(provider.url, "openai");
    assert.equal(response.headers.get("content-type"), content_type);
    assert.equal(documents(await response.text()).length, 4);
  }
});

Deno.test("tool call fragments can lack an index, share it, skip numbers and alternate", async () => {
  const tool_calls = [{ name: "A", input: { x: "1".repeat(30) } }, { name: "B", input: { y: 2 } }];
  const indexes = async (fault: JsonObject) => {
    const text = await streamed("openai", { tool_calls, fault });
    return documents(text).flatMap((chunk) => chunk.choices as JsonObject[])
      .flatMap((choice) => ((choice.delta as JsonObject).tool_calls ?? []) as JsonObject[])
      .map((call) => call.index);
  };
  assert.deepEqual(await indexes({}), [0, 0, 0, 1, 1]);
  assert.deepEqual(await indexes({ interleave: true }), [0, 1, 0, 1, 0]);
  assert.deepEqual(await indexes({ index: "zero" }), [0, 0, 0, 0, 0]);
  assert.deepEqual(await indexes({ index: "sparse" }), [2, 2, 2, 5, 5]);
  assert.deepEqual(await indexes({ index: "first_only" }), [0, undefined, undefined, 1, undefined]);
  assert.deepEqual(new Set(await indexes({ index: "missing" })), new Set([undefined]));
});

Deno.test("a finish reason, an unknown event, a huge line and missing closing events are as asked", async () => {
  const openai = await streamed("openai", {
    tool_calls: [{ name: "A", input: {} }],
    fault: { finish_reason: "stop", no_done: true, unknown_events: true },
  });
  assert.ok(openai.includes('"finish_reason":"stop"') && openai.includes('"hint"'));
  assert.ok(!openai.includes("[DONE]"));
  const anthropic = await streamed("anthropic", {
    text: "a",
    fault: { huge_line_bytes: 100_000, no_closing_events: true },
  });
  assert.ok(anthropic.split("\n").some((line) => line.length > 100_000));
  assert.ok(!anthropic.includes("message_stop"));
  const headless = await streamed("anthropic", { text: "a", fault: { no_message_start: true } });
  assert.ok(headless.startsWith("event: content_block_start"));
});

Deno.test("turns go by what the request says, and a script that runs out says how many it had", async () => {
  await using provider = await startScriptedProvider({
    vars: { cwd: "/tmp/x" },
    turns: [
      { match: "beta", text: "for beta" },
      { match: "alpha", capture: { id: "id ([a-z0-9]+)" }, text: "in {{cwd}} with {{id}}" },
    ],
  });
  const say = (content: string) => post(provider.url, "openai", { messages: [{ role: "user", content }] });
  assert.ok((await (await say("alpha id 7f")).text()).includes("in /tmp/x with 7f"));
  const unmatched = await say("gamma");
  assert.equal(unmatched.status, 500);
  assert.match(
    (await unmatched.json()).error.message,
    /1 of 2 turns are used and none of the others matches "gamma"/,
  );
  assert.ok((await (await say("beta")).text()).includes("for beta"));
  const over = await say("alpha");
  assert.equal(over.headers.get("x-should-retry"), "false");
  const { error } = await over.json();
  assert.deepEqual([error.type, error.message], [
    "script_exhausted",
    "script exhausted: all 2 turns are used (request 4)",
  ]);
});

Deno.test("match looks at the last tool results, on both wires", async () => {
  await using provider = await startScriptedProvider({
    turns: [{ match: "42 lines", text: "yes", repeat: true }],
  });
  const anthropic = await post(provider.url, "anthropic", {
    messages: [
      { role: "user", content: "q" },
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "A", input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "42 lines" }] }],
      },
    ],
  });
  assert.ok((await anthropic.text()).includes("yes"));
  const openai = await post(provider.url, "openai", {
    messages: [
      { role: "user", content: "q" },
      {
        role: "assistant",
        tool_calls: [{ id: "t", type: "function", function: { name: "A", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "t", content: "42 lines" },
    ],
  });
  assert.ok((await openai.text()).includes("yes"));
});

Deno.test("histories that the real services refuse are refused with their words", async () => {
  await using provider = await startScriptedProvider({ turns: [{ text: "never", repeat: true }] });
  const user = { role: "user", content: "q" };
  const use = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "A", input: {} }] };
  const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "b", content: "x" }] };
  const call = {
    role: "assistant",
    tool_calls: [{ id: "a", type: "function", function: { name: "A", arguments: "" } }],
  };
  const cases: [Wire, JsonObject, RegExp][] = [
    ["anthropic", { messages: [user, use, user] }, /without `tool_result` blocks/],
    ["anthropic", { messages: [user, result] }, /unexpected `tool_use_id`/],
    ["anthropic", { messages: [user, use] }, /without results/],
    ["anthropic", { messages: [{ role: "user", content: "" }] }, /non-empty/],
    ["anthropic", { max_tokens: 0 }, /max_tokens/],
    ["anthropic", { tools: [{ name: "a b" }] }, /name should match/],
    ["openai", { messages: [user, call, user] }, /did not have response messages: a/],
    ["openai", { messages: [user, { role: "tool", tool_call_id: "z", content: "" }] }, /preceeding message/],
    ["openai", { messages: [] }, /at least one message/],
  ];
  for (const [wire, body, expected] of cases) {
    const response = await post(provider.url, wire, body);
    assert.equal(response.status, 400);
    assert.match((await response.json()).error.message, expected);
  }
  const keyless = await fetch(`${provider.url}/messages`, { method: "POST", body: "{}" });
  assert.equal(keyless.status, 401);
  await keyless.body?.cancel();
});

Deno.test("hold keeps a stream back until release(), and waitForRequest() sees the request meanwhile", async () => {
  await using provider = await startScriptedProvider({
    turns: [{ text: ["a", "b"], hold: { name: "go", after_frames: 2 } }],
  });
  const response = await post(provider.url, "openai");
  const request = await provider.waitForRequest(1);
  assert.deepEqual([request.wire, request.path, request.outcome], ["openai", PATHS.openai, "open"]);
  assert.equal(JSON.stringify(request.body), request.raw);
  provider.release("go");
  assert.ok((await response.text()).includes('"content":"b"'));
  assert.equal((await provider.waitForEnd(1)).outcome, "complete");
  const never = provider.waitForRequest(2);
  await Promise.all([assert.rejects(never, /closed after 1 requests/), provider.close()]);
});

Deno.test("waitForRequest() gives up after a minute and says what has come", async () => {
  const world = { ...systemWorld, sleep: () => Promise.resolve() };
  await using provider = await startScriptedProvider({ turns: [] }, { world });
  await assert.rejects(provider.waitForRequest(1), /60 s have passed after 0 requests/);
});

Deno.test("a script with an unknown key, or a variable that nothing sets, is refused by place", async () => {
  const bad = (script: unknown) => startScriptedProvider(script as ProviderScriptInput);
  await assert.rejects(bad({ turns: [{ txt: "a" }] }), {
    code: "model.script_invalid",
    message: /turns\[0\].*txt/,
  });
  await assert.rejects(bad({ turns: [{ text: "{{home}}" }] }), /nothing sets the variable \{\{home\}\}/);
});

Deno.test("runScriptedProvider() prints its address, then a line a request, until it is told to stop", async () => {
  const file = await Deno.makeTempFile({ suffix: ".json" });
  try {
    await Deno.writeTextFile(file, '\uFEFF{"turns":[{"text":"hi"}]}');
    const stop = new AbortController();
    const lines: string[] = [];
    const { promise: address, resolve } = Promise.withResolvers<string>();
    const print = (line: string) => {
      lines.push(line);
      resolve(line);
    };
    const running = runScriptedProvider({ script_file: file, port: 0, signal: stop.signal, print });
    await (await post(await address, "openai")).body?.cancel();
    stop.abort();
    await running;
    assert.match(lines[1] ?? "", /^1 openai \/v1\/chat\/completions \d+ bytes$/);
    const missing = runScriptedProvider({ script_file: `${file}x`, port: 0, signal: stop.signal, print });
    await assert.rejects(missing, { code: "model.script_unreadable" });
  } finally {
    await Deno.remove(file);
  }
});
