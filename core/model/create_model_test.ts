import assert from "node:assert/strict";
import { LuminaError } from "../base/mod.ts";
import { createModel } from "./create_model.ts";
import type { ModelEvent } from "./port.ts";
import {
  anthropicSse,
  anthropicText,
  done,
  HELLO,
  modelFor,
  openaiSse,
  openaiText,
  quickWorld,
  run,
  serve,
  streamed,
} from "./test_server.ts";

const openai = { api_type: "openai_compatible" as const };
const anthropic = { api_type: "anthropic" as const };

Deno.test("both wires answer with the same kinds of event, usage and stop", async () => {
  await using a = serve(() => streamed([anthropicSse(anthropicText("hi 你好😀"))]));
  await using o = serve(() => streamed([openaiSse(openaiText("hi 你好😀"))]));
  const first = await run(modelFor({ ...anthropic, base_url: a.url }));
  const second = await run(modelFor({ ...openai, base_url: `${o.url}/v1` }));
  const kinds = ["start", "text", "block_end", "done"];
  assert.deepEqual(first.events.map((event) => event.type), kinds);
  assert.deepEqual(second.events.map((event) => event.type), kinds);
  for (const { events } of [first, second]) {
    assert.deepEqual(done(events).message.content, [{ type: "text", text: "hi 你好😀" }]);
    assert.equal(done(events).stop, "end_turn");
    assert.equal(done(events).model, "test-model");
  }
  assert.deepEqual(done(first.events).usage, { input: 7, output: 5, cache_read: 0, cache_write: 0 });
  assert.deepEqual(done(second.events).usage, { input: 9, output: 3, cache_read: 0, cache_write: 0 });
  assert.equal(done(first.events).message_id, "msg_1");
});

Deno.test("the base URL is used as given: /v1 is neither stripped nor doubled", async () => {
  await using server = serve(() => new Response("{}", { status: 400 }));
  const paths = async (endpoint: Parameters<typeof modelFor>[0]) => {
    await run(modelFor(endpoint));
    return new URL(server.requests.at(-1)!.url).pathname;
  };
  assert.equal(await paths({ ...openai, base_url: server.url }), "/chat/completions");
  assert.equal(await paths({ ...openai, base_url: `${server.url}/v1` }), "/v1/chat/completions");
  assert.equal(await paths({ ...openai, base_url: `${server.url}/api/v3/` }), "/api/v3/chat/completions");
  assert.equal(await paths({ ...anthropic, base_url: server.url }), "/v1/messages");
  assert.equal(await paths({ ...anthropic, base_url: `${server.url}/v1` }), "/v1/messages");
  assert.equal(await paths({ base_url: `${server.url}/anthropic` }), "/anthropic/v1/messages");
});

Deno.test("a model name goes out unchanged, and variables of the SDKs change nothing", async () => {
  const variables = {
    OPENAI_ORG_ID: "org-x",
    OPENAI_PROJECT_ID: "proj-x",
    OPENAI_BASE_URL: "http://127.0.0.1:9",
    OPENAI_API_KEY: "sk-from-environment",
    OPENAI_CUSTOM_HEADERS: "x-evil: 1\nauthorization: Bearer evil",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    ANTHROPIC_API_KEY: "sk-from-environment",
    ANTHROPIC_AUTH_TOKEN: "token-from-environment",
    ANTHROPIC_CUSTOM_HEADERS: "x-evil: 1\nx-api-key: evil\nanthropic-version: 1",
  };
  const before = Object.keys(variables).map((name) => [name, Deno.env.get(name)] as const);
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  try {
    await using server = serve(
      () => streamed([anthropicSse(anthropicText("x"))]),
      () => streamed([openaiSse(openaiText("x"))]),
      () => streamed([openaiSse(openaiText("x"))]),
    );
    const model = "deepseek-v4-pro[1m]";
    done((await run(modelFor({ ...anthropic, base_url: server.url, model }))).events);
    done((await run(modelFor({ ...openai, base_url: server.url, model }))).events);
    const [first, second] = server.requests as [typeof server.requests[0], typeof server.requests[0]];
    assert.equal(JSON.parse(first.body).model, model);
    assert.equal(JSON.parse(second.body).model, model);
    const sent = (headers: Headers) =>
      [...headers.keys()].filter((name) =>
        !["host", "accept-encoding", "accept-language", "content-length"].includes(name)
      )
        .sort();
    assert.deepEqual(sent(first.headers), [
      "accept",
      "anthropic-version",
      "authorization",
      "content-type",
      "user-agent",
      "x-api-key",
    ]);
    assert.deepEqual(sent(second.headers), ["accept", "authorization", "content-type", "user-agent"]);
    assert.equal(first.headers.get("x-api-key"), "sk-test-secret");
    assert.equal(first.headers.get("anthropic-version"), "2023-06-01");
    assert.equal(second.headers.get("authorization"), "Bearer sk-test-secret");
  } finally {
    for (const [name, value] of before) {
      value === undefined ? Deno.env.delete(name) : Deno.env.set(name, value);
    }
  }
});

Deno.test("a wrong key is told in the provider's words, without the key and without a retry", async () => {
  await using server = serve(() =>
    Response.json({
      error: { message: "Incorrect API key provided: sk-test-secret", code: "invalid_api_key" },
    }, {
      status: 401,
      headers: { "x-request-id": "req_9" },
    })
  );
  const { error } = await run(modelFor({ ...openai, base_url: server.url }));
  assert.equal(server.requests.length, 1);
  assert.equal(error?.category, "authentication_failed");
  assert.equal(error?.code, "model.authentication_failed");
  assert.equal(error?.status, 401);
  assert.equal(error?.request_id, "req_9");
  assert.match(error!.message, /Incorrect API key provided: \*\*\*/);
  assert.doesNotMatch(
    JSON.stringify([error!.message, error!.details, String(error!.cause)]),
    /sk-test-secret/,
  );
});

Deno.test("a 529 and a 429 are tried again, Retry-After is honoured, and each retry is told", async () => {
  await using server = serve(
    () =>
      Response.json({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, {
        status: 529,
      }),
    () =>
      Response.json({ error: { message: "slow down" } }, {
        status: 429,
        headers: { "retry-after-ms": "12" },
      }),
    () => streamed([anthropicSse(anthropicText("ok"))]),
  );
  const { events } = await run(modelFor({ ...anthropic, base_url: server.url }));
  const retries = events.filter((event) => event.type === "retry");
  assert.deepEqual(
    retries.map((retry) => [retry.attempt, retry.max_attempts, retry.delay_ms, retry.status, retry.code]),
    [
      [1, 4, 0, 529, "model.overloaded"],
      [2, 4, 12, 429, "model.rate_limit"],
    ],
  );
  assert.equal(done(events).stop, "end_turn");
});

Deno.test("what will not pass is not tried again", async () => {
  for (const status of [400, 401, 402, 403, 404, 405, 413, 422]) {
    await using server = serve(() =>
      Response.json({ error: { message: "no", type: "rate_limit_error" } }, { status })
    );
    const { error } = await run(modelFor({ ...openai, base_url: server.url }));
    assert.equal(server.requests.length, 1, String(status));
    assert.equal(error?.retry, "never", String(status));
  }
  await using quota = serve(() =>
    Response.json({ error: { message: "x", code: "insufficient_quota" } }, { status: 429 })
  );
  const { error } = await run(modelFor({ ...openai, base_url: quota.url }));
  assert.equal(error?.category, "billing_error");
  assert.equal(quota.requests.length, 1);
});

Deno.test("a 429 that talks about tokens is a rate limit, never a full window", async () => {
  await using server = serve(() =>
    Response.json({
      error: { message: "prompt is too long: 9 tokens > 8 maximum", code: "context_length_exceeded" },
    }, {
      status: 429,
    })
  );
  const { error } = await run(modelFor({ ...openai, base_url: server.url }, { max_attempts: 2 }));
  assert.equal(error?.category, "rate_limit");
  assert.equal(server.requests.length, 2);
});

Deno.test("a stream that ends early is an error with its partial message, and a retry starts afresh", async () => {
  const whole = anthropicText("complete");
  await using server = serve(
    () => streamed([anthropicSse(whole.slice(0, 4))]),
    () => streamed([anthropicSse(whole)]),
  );
  const { events } = await run(modelFor({ ...anthropic, base_url: server.url }));
  assert.deepEqual(events.map((event) => event.type), [
    "start",
    "text",
    "retry",
    "start",
    "text",
    "block_end",
    "done",
  ]);
  const retry = events[2] as Extract<ModelEvent, { type: "retry" }>;
  assert.equal(retry.code, "model.network");
  assert.deepEqual(retry.partial?.content, [{ type: "text", text: "complete" }]);
});

Deno.test("an error event after HTTP 200 is typed, tried again, and final when the attempts are used up", async () => {
  await using server = serve(() =>
    streamed([
      anthropicSse([
        ...anthropicText("half").slice(0, 4),
        { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
      ]),
    ])
  );
  const { events, error } = await run(modelFor({ ...anthropic, base_url: server.url }, { max_attempts: 3 }));
  assert.equal(server.requests.length, 3);
  assert.equal(error?.category, "overloaded");
  assert.deepEqual(error?.partial?.content, [{ type: "text", text: "half" }]);
  assert.equal(events.some((event) => event.type === "done"), false);
});

Deno.test("an error chunk of the OpenAI wire ends the answer with its own category", async () => {
  const cases: [unknown, string][] = [
    [{ error: { message: "boom", type: "server_error" } }, "server_error"],
    [{ error: { message: "upstream", code: 502 } }, "server_error"],
    [{ error: "model runner has stopped" }, "server_error"],
    [{ error: { message: "too long", code: "context_length_exceeded" } }, "window_overflow"],
  ];
  for (const [chunk, category] of cases) {
    await using server = serve(() => streamed([openaiSse([...openaiText("a").slice(0, 2), chunk])]));
    const { error } = await run(modelFor({ ...openai, base_url: server.url }, { max_attempts: 1 }));
    assert.equal(error?.category, category);
    assert.deepEqual(error?.partial?.content, [{ type: "text", text: "a" }]);
  }
});

Deno.test("any Content-Type will do, and a JSON error under HTTP 200 is an error", async () => {
  const type = (value: string) => ({ headers: { "content-type": value } });
  const body = openaiSse(openaiText("x"));
  for (const label of ["application/json", "text/plain; charset=latin1", "application/octet-stream"]) {
    await using server = serve(() => streamed([body], type(label)));
    done((await run(modelFor({ ...openai, base_url: server.url }))).events);
  }
  await using lines = serve(() =>
    streamed(openaiText("x").map((chunk) => JSON.stringify(chunk) + "\n"), type("application/x-ndjson"))
  );
  assert.equal(done((await run(modelFor({ ...openai, base_url: lines.url }))).events).usage.input, 9);
  await using error = serve(() =>
    Response.json({ error: { type: "authentication_error", message: "bad key" } })
  );
  assert.equal(
    (await run(modelFor({ ...anthropic, base_url: error.url }))).error?.category,
    "authentication_failed",
  );
  await using page = serve(() => new Response("<html>login</html>", type("text/html")));
  assert.equal((await run(modelFor({ ...anthropic, base_url: page.url }))).error?.category, "protocol");
});

Deno.test("only data holds off the idle limit: comments and pings do not", async () => {
  const beats = (text: string) => {
    let timer: ReturnType<typeof setInterval> | undefined;
    const stop = () => clearInterval(timer);
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        const encoder = new TextEncoder();
        controller.enqueue(encoder.encode(anthropicSse(anthropicText("x").slice(0, 2))));
        timer = setInterval(() => controller.enqueue(encoder.encode(text)), 5);
      },
      cancel: stop,
    });
    return { body, stop };
  };
  for (
    const text of [": keep-alive\n\n", 'event: ping\ndata: {"type":"ping"}\n\n', 'data: {"type":"ping"}\n\n']
  ) {
    const beat = beats(text);
    await using server = serve(() => new Response(beat.body));
    const { error } = await run(
      modelFor({ ...anthropic, base_url: server.url }, { idle_timeout_ms: 60, max_attempts: 1 }),
    );
    beat.stop();
    assert.equal(error?.category, "timeout", text);
    assert.match(error!.message, /no data for 0\.06 s/);
  }
});

Deno.test("headers that never come end with the idle limit", async () => {
  const released = Promise.withResolvers<Response>();
  await using server = serve(() => released.promise);
  const { error } = await run(
    modelFor({ ...openai, base_url: server.url }, { idle_timeout_ms: 40, max_attempts: 1 }),
  );
  assert.equal(error?.category, "timeout");
  released.resolve(new Response("late"));
});

Deno.test("an abort ends the request, cancels the body at the server, and neither retries nor falls back", async () => {
  const cancelled = Promise.withResolvers<void>();
  await using server = serve(() => {
    const text = new TextEncoder().encode(
      openaiSse(openaiText("x").slice(0, 2)).replace("data: [DONE]\n\n", ""),
    );
    return new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(text),
        cancel: () => cancelled.resolve(),
      }),
    );
  });
  const abort = new AbortController();
  const fallback = { ...openai, base_url: server.url, model: "other" };
  const model = modelFor({ ...openai, base_url: server.url }, { fallback });
  const events: ModelEvent[] = [];
  await assert.rejects(async () => {
    for await (const event of model.stream(HELLO, abort.signal)) {
      events.push(event);
      if (event.type === "text") abort.abort();
    }
  }, { category: "aborted" });
  await cancelled.promise;
  assert.equal(server.requests.length, 1);
  assert.deepEqual(events.map((event) => event.type), ["start", "text"]);
  model.close();
});

Deno.test("a caller that stops reading ends the request", async () => {
  const cancelled = Promise.withResolvers<void>();
  await using server = serve(() => {
    const text = new TextEncoder().encode(anthropicSse(anthropicText("x").slice(0, 4)));
    return new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(text),
        cancel: () => cancelled.resolve(),
      }),
    );
  });
  const model = modelFor({ ...anthropic, base_url: server.url });
  for await (const event of model.stream(HELLO, new AbortController().signal)) {
    if (event.type === "text") break;
  }
  await cancelled.promise;
  model.close();
});

Deno.test("the fallback serves after the primary's retries, and says so", async () => {
  await using bad = serve(() => new Response("busy", { status: 503 }));
  await using good = serve(() => streamed([openaiSse(openaiText("ok"))]));
  const fallback = { ...openai, base_url: good.url, model: "second" };
  const { events } = await run(modelFor({ ...anthropic, base_url: bad.url }, { fallback, max_attempts: 2 }));
  assert.equal(bad.requests.length, 2);
  assert.deepEqual(events.map((event) => event.type), [
    "retry",
    "fallback",
    "start",
    "text",
    "block_end",
    "done",
  ]);
  const switched = events[1] as Extract<ModelEvent, { type: "fallback" }>;
  assert.deepEqual([switched.from, switched.to], ["test-model", "second"]);
  assert.match(switched.reason, /HTTP 503/);
  assert.equal(done(events).model, "second");
});

Deno.test("the fallback never serves after visible output, nor for a failure that will not pass", async () => {
  await using good = serve(() => streamed([openaiSse(openaiText("ok"))]));
  const fallback = { ...openai, base_url: good.url, model: "second" };
  await using cut = serve(
    () => streamed([anthropicSse(anthropicText("seen").slice(0, 4))]),
    () => new Response("busy", { status: 503 }),
  );
  const shown = await run(modelFor({ ...anthropic, base_url: cut.url }, { fallback, max_attempts: 2 }));
  assert.equal(shown.error?.category, "server_error");
  for (const status of [400, 401, 402, 403, 404]) {
    await using bad = serve(() => new Response("no", { status }));
    assert.equal((await run(modelFor({ ...openai, base_url: bad.url }, { fallback }))).error?.status, status);
  }
  assert.equal(good.requests.length, 0);
});

Deno.test("when both models fail the error names both", async () => {
  await using one = serve(() => new Response("first is down", { status: 500 }));
  await using two = serve(() => new Response("second is down", { status: 502 }));
  const fallback = { ...openai, base_url: two.url, model: "second" };
  const { error } = await run(modelFor({ ...openai, base_url: one.url }, { fallback, max_attempts: 1 }));
  assert.match(
    error!.message,
    /test-model at .*first is down; then the fallback failed: second at .*second is down/,
  );
  assert.equal(error?.status, 502);
});

Deno.test("a refused connection is a network error that names the address", async () => {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = listener.addr;
  listener.close();
  const { error } = await run(
    modelFor({ ...openai, base_url: `http://127.0.0.1:${port}/v1` }, { max_attempts: 2 }),
  );
  assert.equal(error?.category, "network");
  assert.match(error!.message, new RegExp(`test-model at http://127.0.0.1:${port}/v1: cannot be reached`));
});

Deno.test("a redirect is refused, so that no key reaches another host", async () => {
  await using other = serve(() => streamed([openaiSse(openaiText("x"))]));
  await using server = serve(() => Response.redirect(`${other.url}/chat/completions`, 307));
  const { error } = await run(modelFor({ ...openai, base_url: server.url }));
  assert.equal(error?.category, "invalid_request");
  assert.equal(other.requests.length, 0);
});

Deno.test("an answer that is complete stands although the server keeps the connection open", async () => {
  await using server = serve(() => {
    const body = openaiSse(openaiText("x").slice(0, 3)).replace("data: [DONE]\n\n", "");
    return streamed([body], {}, true);
  });
  const model = modelFor({ ...openai, base_url: server.url }, {
    // the wait for trailing usage is three seconds; the idle limit is shorter here and must not matter either
    idle_timeout_ms: 50,
  });
  assert.equal(done((await run(model)).events).stop, "end_turn");
});

Deno.test("over a socket, cuts in the middle of characters and frames change nothing", async () => {
  const whole = new TextEncoder().encode(
    `\ufeff${anthropicSse(anthropicText("你好😀"))}`.replaceAll("\n", "\r\n"),
  );
  for (const size of [1, 2, 3, 7, 50]) {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < whole.length; at += size) pieces.push(whole.slice(at, at + size));
    await using server = serve(() => streamed(pieces, { headers: { "content-type": "text/plain" } }));
    const { events } = await run(modelFor({ ...anthropic, base_url: server.url }));
    assert.deepEqual(done(events).message.content, [{ type: "text", text: "你好😀" }]);
  }
});

Deno.test("a server without keys gets no credentials", async () => {
  await using server = serve(() => streamed([openaiSse(openaiText("x"))]));
  const model = createModel({
    primary: { ...openai, base_url: server.url, model: "local" },
    world: quickWorld(),
    models_file: new URL("../../resources/models.json", import.meta.url),
  });
  done((await run(model)).events);
  assert.equal(server.requests[0]!.headers.has("authorization"), false);
});

Deno.test("an endpoint that cannot work is refused when the model is made", () => {
  assert.throws(() => modelFor({ base_url: "localhost:8080" }), LuminaError);
  assert.throws(() => modelFor({ model: " " }), { code: "model.settings" });
  assert.throws(() => modelFor({ api_type: "replay" }), { code: "model.settings" });
});
