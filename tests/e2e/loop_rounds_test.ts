import assert from "node:assert/strict";
import type { ProviderScriptInput, RecordedRequest } from "../../core/model/scripted/mod.ts";
import {
  AgentProject,
  payload,
  resultOf,
  sentResults,
  toolResults,
  WIRES,
} from "../support/agent_project.ts";
import type { Line, Wire } from "../support/agent_project.ts";

type Turn = ProviderScriptInput["turns"][number];
const YOLO = ["--permission-mode", "yolo"];
const call = (name: string, input: Line, id?: string) => ({
  name,
  input,
  ...(id === undefined ? {} : { id }),
});

/** The raw text of a request's messages, without the bracket that ends the list. */
function rawMessages({ raw }: RecordedRequest): string {
  const start = raw.indexOf('"messages":[');
  assert.ok(start >= 0, raw.slice(0, 200));
  const messages = JSON.stringify((JSON.parse(raw) as Line)["messages"]);
  assert.equal(
    raw.slice(start + '"messages":'.length, start + '"messages":'.length + messages.length),
    messages,
  );
  return messages.slice(0, -1);
}

/** How many characters two texts share from their beginning. */
function sharedLength(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

/** Cache markers move along with the end of the conversation and are no part of what was said. */
const unmarked = (text: string): string => text.replaceAll(/,"cache_control":\{[^}]*\}/g, "");

Deno.test("each request extends the one before byte for byte, over tools, errors, notes, prompts and a resume", async () => {
  await Promise.all(WIRES.map(async (wire) => {
    await using project = await AgentProject.open({
      turns: [
        {
          thinking: "hm",
          text: "I look 你好",
          tool_calls: [call("Read", { file_path: "a.txt" }), call("List", {})],
        },
        { tool_calls: [{ name: "Read", raw_arguments: '{"file_path":' }] },
        { tool_calls: [call("NoSuchTool", { x: 1 })] },
        { text: "first answer" },
        { tool_calls: [call("Write", { file_path: "b.txt", content: "b\n" })] },
        { text: "second answer" },
        { text: "third answer" },
      ],
    });
    await project.dir.write("a.txt", "a 😀\n");
    const run = await project.converse(["one", "two"], YOLO, { wire });
    const again = await project.stream("three", ["--resume", run.session_id, ...YOLO], { wire });
    assert.equal(again.code, 0, again.stdout);
    const { requests } = project.provider;
    assert.equal(requests.length, 7);
    for (const [at, request] of requests.entries()) {
      const before = requests[at - 1];
      if (before === undefined) continue;
      const [shorter, longer] = [unmarked(rawMessages(before)), unmarked(rawMessages(request))];
      const same = sharedLength(shorter, longer);
      const parting = `${shorter.slice(same - 40, same + 80)} became ${longer.slice(same - 40, same + 80)}`;
      assert.equal(same, shorter.length, `${wire}: request ${at + 1}: ${parting}`);
      assert.ok(longer.length > shorter.length);
      const { messages: _old, ...head_before } = before.body;
      const { messages: _new, ...head } = request.body;
      assert.deepEqual(head, head_before, "model, system prompt, tools and limits stay");
    }
  }));
});

Deno.test("read-only calls of one turn run side by side, and their results stand in the order of the calls", async () => {
  await using project = await AgentProject.open({
    turns: [
      {
        tool_calls: [
          call("Grep", { pattern: "needle" }),
          call("Read", { file_path: "small.txt" }),
          call("Glob", { pattern: "**/*.txt" }),
          call("Read", { file_path: "missing.txt" }),
        ],
      },
      {
        tool_calls: [
          call("Bash", { command: "echo 1 >> order; sleep 0.2; echo 2 >> order" }),
          call("Bash", { command: "echo 3 >> order" }),
          call("Read", { file_path: "order" }),
        ],
      },
      { text: "done" },
    ],
  });
  for (let at = 0; at < 200; at++) {
    await project.dir.write(`deep/${at}.txt`, "hay\n".repeat(200) + "needle\n");
  }
  await project.dir.write("small.txt", "small\n");
  const run = await project.stream("go", YOLO);
  assert.equal(run.code, 0, run.stdout);
  const events = await project.journal(run.session_id);
  const ids = run.lines.find((line) => line["type"] === "assistant")?.["message"].content.map((block: Line) =>
    block["id"]
  ) as string[];
  const at = (type: string, id: string | undefined) =>
    events.findIndex((event) => event.type === type && payload(event)["call_id"] === id);
  const last_start = Math.max(...ids.map((id) => at("tool.started", id)));
  const first_end = Math.min(...ids.map((id) => at("tool.finished", id)));
  assert.ok(last_start < first_end, "all four had started before the first one ended");

  const sent = sentResults(project.provider.requests[1]);
  assert.match(sent[0]?.content ?? "", /^deep\/0\.txt$/m);
  assert.match(sent[1]?.content ?? "", /small/);
  assert.match(sent[2]?.content ?? "", /small\.txt/);
  assert.deepEqual(sent.map(({ is_error }) => is_error), [false, false, false, true]);
  assert.equal(await project.dir.read("order"), "1\n2\n3\n", "commands never overlap");
  assert.match(sentResults(project.provider.requests[2])[2]?.content ?? "", /1[\s\S]*2[\s\S]*3/);
});

Deno.test("an unknown tool, bad input, a failing command and a missing file are error results on both wires", async () => {
  await Promise.all(WIRES.map(async (wire) => {
    await using project = await AgentProject.open({
      turns: [
        {
          tool_calls: [
            call("Raed", { file_path: "a" }),
            call("Read", { file_path: "a", lines: 3 }),
            call("Read", {}),
            call("Read", { file_path: "missing.txt" }),
            call("Bash", { command: "echo out; echo err >&2; exit 7" }),
            call("Read", { file_path: "a.txt", offset: "2" }),
          ],
        },
        { text: "done" },
      ],
    });
    await project.dir.write("a.txt", "line one\nline two\n");
    const run = await project.stream("go", YOLO, { wire });
    assert.equal(run.code, 0, run.stdout);
    const sent = sentResults(project.provider.requests[1]);
    assert.deepEqual(sent.map(({ is_error }) => is_error), [true, true, true, true, true, false]);
    assert.match(sent[0]?.content ?? "", /no tool "Raed".*Did you mean Read\?/);
    assert.match(sent[2]?.content ?? "", /file_path/);
    assert.match(sent[3]?.content ?? "", /missing\.txt/);
    assert.match(sent[4]?.content ?? "", /out[\s\S]*7|7[\s\S]*out/);
    assert.match(sent[5]?.content ?? "", /line two/, "a quoted number is read as one");
    const printed = toolResults(run.lines);
    assert.deepEqual(printed.map(({ is_error }) => is_error).sort(), [false, true, true, true, true, true]);
  }));
});

Deno.test("ids that a provider repeats in every turn never stand for an old result: each call runs", async () => {
  await Promise.all(WIRES.map(async (wire) => {
    await using project = await AgentProject.open({
      turns: [
        { tool_calls: [call("Bash", { command: "echo a >> log" }, "call_0")] },
        { tool_calls: [call("Bash", { command: "echo b >> log" }, "call_0")] },
        { tool_calls: [call("Bash", { command: "echo c >> log; cat log" }, "call_0")] },
        { text: "done" },
        { tool_calls: [call("Bash", { command: "echo d >> log; cat log" }, "call_0")] },
        { text: "done again" },
      ],
    });
    const run = await project.converse(["one", "two"], YOLO, { wire });
    assert.equal(run.code, 0, run.stdout);
    assert.equal(await project.dir.read("log"), "a\nb\nc\nd\n");
    assert.match(sentResults(project.provider.requests[5])[0]?.content ?? "", /a\nb\nc\nd/);
    const ids = toolResults(run.lines).map(({ id }) => id);
    assert.equal(new Set(ids).size, 4, "our ids are new each time");
  }));
});

Deno.test("the step budget is per run: it ends one with error_max_turns and exit 1, and the next one has all of it", async () => {
  const turns: Turn[] = [];
  for (const round of ["a", "b"]) {
    for (let at = 0; at < 2; at++) {
      turns.push({ tool_calls: [call("Bash", { command: `echo ${round}${at}` })] });
    }
  }
  await using project = await AgentProject.open({ turns: [...turns, { text: "never asked for" }] });
  const run = await project.converse(["one", "two"], ["--max-turns", "2", ...YOLO]);
  assert.equal(run.code, 1);
  for (const lines of run.prompts) {
    const result = resultOf(lines);
    assert.deepEqual([result["subtype"], result["is_error"], result["num_turns"]], [
      "error_max_turns",
      true,
      2,
    ]);
    assert.match(result["errors"][0], /2 model requests.*--max-turns/);
    assert.equal(toolResults(lines).length, 2, "the calls of the last turn still ran");
  }
  assert.equal(project.provider.requests.length, 4);
});

Deno.test("the same call with the same result is noted after three times and stops the run after six", async () => {
  const same: Turn = { tool_calls: [call("Read", { file_path: "a.txt" })], repeat: true };
  await using project = await AgentProject.open({ turns: [same] });
  await project.dir.write("a.txt", "a\n");
  const run = await project.stream("go");
  assert.equal(run.code, 1);
  const result = resultOf(run.lines);
  assert.equal(result["error_code"], "agent.no_progress");
  assert.match(result["errors"][0], /same Read call 6 times/);
  assert.equal(project.provider.requests.length, 6);
  const notes = run.lines.filter((line) => line["isSynthetic"] === true).map((line) =>
    line["message"].content
  );
  assert.match(notes[0] ?? "", /same Read call 3 times/);
  assert.match(JSON.stringify(project.provider.requests[3]?.body), /same Read call 3 times/);
});

Deno.test("failures in a row stop a run that only fails, each one a different call", async () => {
  const turns = Array.from({ length: 20 }, (_, at): Turn => ({
    tool_calls: [call("Read", { file_path: `missing-${at}.txt` })],
  }));
  await using project = await AgentProject.open({ turns });
  const run = await project.stream("go");
  assert.equal(run.code, 1);
  assert.match(resultOf(run.lines)["errors"][0], /12 tool calls in a row failed/);
  assert.equal(project.provider.requests.length, 12);
});

Deno.test("an answer cut by the output limit is continued, a paused one resumed, a refusal ends the run", async () => {
  await Promise.all(WIRES.map(async (wire: Wire) => {
    const cut = (text: string): Turn => ({ text, stop: "max_tokens" });
    await using project = await AgentProject.open({
      turns: [
        cut("one "),
        cut("two "),
        { text: "three" },
        cut("a"),
        cut("b"),
        cut("c"),
        cut("d"),
        { text: "I will not", stop: "refusal" },
        ...(wire === "anthropic"
          ? [{ text: "wait", stop: "pause" as const }, { text: "paused and done" }]
          : []),
      ],
    });
    const prompts = ["cut", "cut too often", "refused", ...(wire === "anthropic" ? ["paused"] : [])];
    const run = await project.converse(prompts, [], { wire });
    const [continued, given_up, refused, paused] = run.prompts.map((lines) => resultOf(lines));
    assert.equal(continued?.["result"], "one two three");
    assert.equal(continued?.["num_turns"], 3);
    assert.match(JSON.stringify(project.provider.requests[1]?.body), /Continue exactly where it stopped/);
    assert.equal(given_up?.["error_code"], "model.max_output_tokens");
    assert.equal(given_up?.["num_turns"], 4);
    assert.equal(refused?.["error_code"], "model.refusal");
    assert.match(refused?.["errors"][0], /I will not/);
    if (wire === "anthropic") assert.match(paused?.["result"], /paused and done$/);
  }));
});

Deno.test("--json-schema: what fits is structured output, one repair turn is given, and what never fits is exit 1", async () => {
  const schema = JSON.stringify({
    type: "object",
    properties: { n: { type: "integer" } },
    required: ["n"],
    additionalProperties: false,
  });
  await using project = await AgentProject.open({
    turns: [
      { text: '{"n": 1}' },
      { text: "The answer is 2" },
      { text: '```json\n{"n": 2}\n```' },
      { text: '{"n": "three"}' },
      { text: '{"n": 3.5}' },
    ],
  });
  const run = await project.converse(["fits", "repaired", "never"], ["--json-schema", schema]);
  const [fits, repaired, never] = run.prompts.map((lines) => resultOf(lines));
  assert.deepEqual([fits?.["subtype"], fits?.["structured_output"]], ["success", { n: 1 }]);
  assert.deepEqual(repaired?.["structured_output"], { n: 2 });
  assert.equal(repaired?.["num_turns"], 2);
  assert.match(JSON.stringify(project.provider.requests[2]?.body), /does not fit the JSON Schema/);
  assert.equal(never?.["subtype"], "error_max_structured_output_retries");
  assert.match(never?.["errors"][0], /n:? must be integer/);
  assert.equal(run.code, 1);
  assert.equal(project.provider.requests.length, 5);
  assert.match(
    JSON.stringify(project.provider.requests[0]?.body),
    /JSON Schema/,
    "the model is told at once",
  );

  const invalid = await project.run(["-p", "x", "--json-schema", '{"type":"nonsense"}']);
  assert.deepEqual([invalid.code, invalid.stdout], [2, ""]);
  assert.match(invalid.stderr, /^lumina: The JSON Schema is not valid: .*\n$/);
  assert.equal(project.provider.requests.length, 5);
});
