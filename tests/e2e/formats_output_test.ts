import assert from "node:assert/strict";
import type { ProviderScriptInput } from "../../core/model/scripted/mod.ts";
import { AgentProject, resultOf, WIRES } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";

type Turn = ProviderScriptInput["turns"][number];

const ROUNDS: Turn[] = [
  {
    thinking: "let me see",
    redacted_thinking: "ZW5jcnlwdGVk",
    text: "I read 你好",
    tool_calls: [
      { name: "Read", input: { file_path: "a.txt" } },
      { name: "Bash", input: { command: "touch b.txt" } },
      { name: "List", input: {} },
    ],
    usage: { input: 100, output: 20, cache_read: 30, cache_write: 5 },
  },
  { text: "The answer", usage: { input: 200, output: 10, cache_read: 100 } },
];
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

async function open(turns = ROUNDS): Promise<AgentProject> {
  const project = await AgentProject.open({ turns });
  await project.dir.write("a.txt", "content\n");
  return project;
}

Deno.test("text: the answer alone with a line end on stdout, also with --verbose; a failure prints nothing there", async () => {
  await using project = await open([...ROUNDS, { text: "second\n" }, { fault: { http: "bad_request" } }]);
  const verbose = await project.run(["-p", "go", "--verbose"]);
  assert.deepEqual([verbose.code, verbose.stdout], [0, "The answer\n"]);
  for (const word of ["run run-", "Read ", "refused", "run ended: success"]) {
    assert.ok(verbose.stderr.includes(word), `${word} in ${verbose.stderr}`);
  }
  const quiet = await project.run(["-p", "go"]);
  assert.deepEqual([quiet.code, quiet.stdout, quiet.stderr], [0, "second\n", ""], "no second line end");
  const failed = await project.run(["-p", "go"]);
  assert.deepEqual([failed.code, failed.stdout], [1, ""]);
  assert.match(failed.stderr, /^lumina: [^\n]+\n$/);
});

Deno.test("json: one object with the documented fields, also for a failed run and with --verbose", async () => {
  await using project = await open([...ROUNDS, { fault: { http: "bad_request" } }]);
  const run = await project.run(["-p", "go", "--output-format", "json", "--verbose"]);
  assert.equal(run.code, 0);
  assert.match(run.stdout, /^\{.*\}\n$/);
  const result = JSON.parse(run.stdout);
  checkResult(result);
  assert.deepEqual([result.subtype, result.is_error, result.result], ["success", false, "The answer"]);
  assert.deepEqual(result.usage, {
    input_tokens: 300,
    output_tokens: 30,
    cache_read_input_tokens: 130,
    cache_creation_input_tokens: 5,
  });
  assert.equal(result.num_turns, 2);
  assert.deepEqual(result.permission_denials.map((denial: Line) => denial["tool_name"]), ["Bash"]);
  assert.deepEqual(result.modelUsage["scripted-model"].inputTokens, 300);
  assert.equal(result.total_cost_usd, null, "the price of this model is not known");

  const failed = await project.run(["-p", "go", "--output-format", "json"]);
  assert.deepEqual([failed.code, failed.stderr], [1, ""]);
  const failure = JSON.parse(failed.stdout);
  checkResult(failure);
  assert.equal(failure.subtype, "error_during_execution");
});

Deno.test("a model with a known price gives total_cost_usd and costUSD", async () => {
  await using project = await open();
  const run = await project.run(["-p", "go", "--output-format", "json", "--model", "claude-sonnet-4-5"]);
  const result = JSON.parse(run.stdout);
  assert.ok(result.total_cost_usd > 0, run.stdout);
  assert.equal(result.modelUsage["claude-sonnet-4-5"].costUSD, result.total_cost_usd);
});

Deno.test("stream-json: init first, result last, ids on every line, tool results as blocks, nothing else on stdout", async () => {
  for (const wire of WIRES) {
    await using project = await open();
    const run = await project.stream("go", ["--verbose"], { wire });
    assert.equal(run.code, 0, run.stdout);
    const [init] = run.lines;
    assert.deepEqual([init?.["type"], init?.["subtype"]], ["system", "init"]);
    assert.equal(init?.["cwd"], project.dir.path);
    assert.equal(init?.["model"], "scripted-model");
    assert.equal(init?.["permissionMode"], "default");
    assert.equal(init?.["apiKeySource"], "LUMINA_API_KEY");
    for (const name of ["Read", "Edit", "Bash", "Grep"]) assert.ok(init?.["tools"].includes(name));
    for (const list of ["mcp_servers", "slash_commands", "skills", "plugins", "capabilities"]) {
      assert.ok(Array.isArray(init?.[list]), list);
    }
    const uuids = run.lines.map((line) => line["uuid"]);
    assert.equal(new Set(uuids).size, run.lines.length);
    for (const line of run.lines) {
      assert.match(line["uuid"], ID);
      assert.equal(line["session_id"], run.session_id);
    }
    assert.match(run.session_id, ID);

    const kinds = run.lines.map((line) => line["subtype"] ?? line["type"]);
    assert.deepEqual([kinds[0], kinds.at(-1)], ["init", "success"]);
    assert.deepEqual(kinds.slice(1, -1).sort(), [
      "assistant",
      "assistant",
      "permission_denied",
      "user",
      "user",
      "user",
    ]);
    const [asking, answering] = run.lines.filter((line) => line["type"] === "assistant");
    const { message } = asking as Line;
    assert.deepEqual([message.type, message.role, message.stop_reason], ["message", "assistant", "tool_use"]);
    assert.equal(message.usage.output_tokens, 20);
    const calls = (message.content as Line[]).filter((block) => block["type"] === "tool_use");
    assert.deepEqual(calls.map((block) => block["name"]), ["Read", "Bash", "List"]);
    for (const call of calls) assert.match(call["id"], ID);
    assert.deepEqual(answering?.["message"].content, [{ type: "text", text: "The answer" }]);
    assert.notEqual(message.id, answering?.["message"].id);

    const results = run.lines.filter((line) => line["type"] === "user");
    for (const line of results) {
      assert.equal(line["parent_tool_use_id"], null);
      assert.equal(line["message"].role, "user");
      const [block, ...rest] = line["message"].content as Line[];
      assert.deepEqual([block?.["type"], rest.length], ["tool_result", 0]);
      const call = calls.find((call) => call["id"] === block?.["tool_use_id"]);
      assert.ok(call !== undefined);
      assert.equal(block?.["is_error"], call["name"] === "Bash" ? true : undefined);
    }
    const result = resultOf(run.lines);
    checkResult(result);
    assert.deepEqual(Object.keys(result["permission_denials"][0]).sort(), [
      "tool_input",
      "tool_name",
      "tool_use_id",
    ]);
    assert.equal(result["permission_denials"][0].tool_use_id, calls[1]?.["id"]);
  }
});

Deno.test("--include-partial-messages: the events form whole Anthropic streams whose sum is the assistant line, ids too", async () => {
  for (const wire of WIRES) {
    await using project = await open([
      { text: ["dying", " text"], fault: { cut_after_frames: wire === "anthropic" ? 5 : 3 } },
      // fragments of parallel calls alternate on the wire, and the events must not
      { ...ROUNDS[0], fault: { interleave: true } },
      ...ROUNDS.slice(1),
    ]);
    const run = await project.stream("go", ["--include-partial-messages"], { wire });
    assert.equal(run.code, 0, run.stdout);
    const streams: Accumulated[] = [];
    for (const line of run.lines) {
      if (line["type"] === "stream_event") {
        assert.equal(line["parent_tool_use_id"], null);
        if (line["event"].type === "message_start") streams.push(new Accumulated());
        streams.at(-1)?.push(line["event"]);
      }
      if (line["type"] !== "assistant") continue;
      const stream = streams.at(-1);
      assert.equal(stream?.id, line["message"].id, "the ids of a stream and its message are one");
      assert.deepEqual(stream?.content, line["message"].content);
      assert.equal(stream?.stopped, line["aborted"] !== true, "only a finished message has message_stop");
      if (stream?.stopped) assert.equal(stream.stop_reason, line["message"].stop_reason);
    }
    assert.deepEqual(streams.map((stream) => stream.stopped), [false, true, true]);
    const kinds = streams[1]?.content.map((block) => block["type"]);
    const thinking = wire === "anthropic" ? ["thinking", "redacted_thinking"] : ["thinking"];
    assert.deepEqual(kinds, [...thinking, "text", "tool_use", "tool_use", "tool_use"]);
    const results = run.lines.filter((line) => line["type"] === "user").map((line) =>
      line["message"].content[0].tool_use_id
    );
    const ids = streams[1]?.content.filter((block) => block["type"] === "tool_use").map((block) =>
      block["id"]
    );
    assert.deepEqual(results.sort(), ids?.sort(), "results point at the ids of the stream");
  }
});

Deno.test("piped input is context beside a prompt and the prompt without one; too much, none and no text are exit 2", async () => {
  await using project = await open([{ text: "one" }, { text: "two" }, { text: "three" }]);
  const prompt = (n: number) => {
    const messages = project.provider.requests[n]?.body["messages"] as Line[];
    return (messages.at(-1)?.["content"] as Line[]).at(-1)?.["text"];
  };
  const both = await project.run(["-p", "what is this?"], { stdin: "line 1\nline 2\n" });
  assert.equal(both.stdout, "one\n");
  assert.equal(prompt(0), "what is this?\n\n<stdin>\nline 1\nline 2\n</stdin>");
  const alone = await project.run(["-p"], { stdin: "from the pipe\n" });
  assert.equal(alone.stdout, "two\n");
  assert.equal(prompt(1), "from the pipe");
  const empty = await project.run(["-p", "just this"], { stdin: "" });
  assert.equal(empty.stdout, "three\n");
  assert.equal(prompt(2), "just this");

  const [none, blank, big, binary] = [
    await project.run(["-p"], { stdin: "" }),
    await project.run(["-p", "  "], { stdin: " \n" }),
    await project.run(["-p", "x"], { stdin: new Uint8Array(10 * 1024 * 1024 + 1).fill(97) }),
    await project.run(["-p", "x"], { stdin: new Uint8Array([0xff, 0xfe, 0x00]) }),
  ];
  for (const run of [none, blank, big, binary]) {
    assert.deepEqual([run.code, run.stdout], [2, ""], run.stderr);
    assert.match(run.stderr, /^lumina: [^\n]+\n$/);
  }
  assert.match(none?.stderr ?? "", /No prompt/);
  assert.match(big?.stderr ?? "", /more than 10485760 bytes/);
  assert.match(binary?.stderr ?? "", /not UTF-8/);
  assert.equal(project.provider.requests.length, 3);
});

Deno.test("formats that do not go together are one line and exit 2", async () => {
  await using project = await open([]);
  for (
    const args of [
      ["-p", "--input-format", "stream-json"],
      ["-p", "x", "--input-format", "stream-json", "--output-format", "stream-json"],
      ["-p", "x", "--include-partial-messages"],
      ["-p", "x", "--output-format", "xml"],
      ["-p", "x", "--yolo", "--permission-mode", "plan"],
    ]
  ) {
    const run = await project.run(args);
    assert.deepEqual([run.code, run.stdout], [2, ""], args.join(" "));
    assert.match(run.stderr, /^lumina: [^\n]+\n$/, args.join(" "));
  }
});

/** The fields of a result, with their types. */
function checkResult(result: Line): void {
  assert.equal(result["type"], "result");
  assert.equal(typeof result["is_error"], "boolean");
  for (const name of ["num_turns", "duration_ms", "duration_api_ms"]) {
    assert.equal(typeof result[name], "number", name);
  }
  for (const name of ["session_id", "uuid"]) assert.match(result[name], ID, name);
  for (const name of ["total_cost_usd", "usage", "modelUsage", "permission_denials", "stop_reason"]) {
    assert.ok(name in result, name);
  }
  if (result["is_error"]) {
    assert.equal("result" in result, false);
    assert.ok(result["errors"].length === 1 && typeof result["errors"][0] === "string");
  } else {
    assert.equal(typeof result["result"], "string");
    assert.equal("errors" in result, false);
    assert.equal(typeof result["ttft_ms"], "number");
  }
}

/** A message as a client puts it together from the events of one Anthropic stream, which are checked on the way. */
class Accumulated {
  id = "";
  content: Line[] = [];
  stop_reason: string | null = null;
  stopped = false;
  #open: number | undefined;
  #json = "";

  push(event: Line): void {
    assert.equal(this.stopped, false, "nothing follows message_stop");
    const index = event["index"] as number | undefined;
    switch (event["type"]) {
      case "message_start":
        assert.equal(this.id, "");
        this.id = event["message"].id;
        assert.deepEqual(event["message"].content, []);
        return;
      case "content_block_start":
        assert.equal(this.#open, undefined, "one block at a time");
        assert.equal(index, this.content.length, "indexes leave no gap");
        this.#open = index;
        this.#json = "";
        this.content.push(structuredClone(event["content_block"]));
        return;
      case "content_block_delta": {
        assert.equal(index, this.#open);
        const block = this.content.at(-1) as Line;
        const delta = event["delta"] as Line;
        if (delta["type"] === "text_delta") block["text"] += delta["text"];
        else if (delta["type"] === "thinking_delta") block["thinking"] += delta["thinking"];
        else if (delta["type"] === "signature_delta") block["signature"] += delta["signature"];
        else if (delta["type"] === "input_json_delta") this.#json += delta["partial_json"];
        else assert.fail(`unknown delta ${delta["type"]}`);
        return;
      }
      case "content_block_stop":
        assert.equal(index, this.#open);
        this.#open = undefined;
        if (this.#json !== "") (this.content.at(-1) as Line)["input"] = JSON.parse(this.#json);
        return;
      case "message_delta":
        assert.equal(this.#open, undefined);
        this.stop_reason = event["delta"].stop_reason;
        assert.equal(typeof event["usage"].output_tokens, "number");
        return;
      case "message_stop":
        assert.equal(this.#open, undefined);
        this.stopped = true;
        return;
      default:
        assert.fail(`unknown event ${event["type"]}`);
    }
  }
}
