import assert from "node:assert/strict";
import type { ProviderScriptInput } from "../../core/model/scripted/mod.ts";
import { AgentProject, payload, resultOf, sentResults, WIRES } from "../support/agent_project.ts";
import type { Line, Wire } from "../support/agent_project.ts";

type Turn = ProviderScriptInput["turns"][number];
const OVERLOADED = { type: "overloaded_error", message: "Overloaded" };

/** Runs the same body on both wires side by side, each with a project of its own. */
async function onBothWires(
  turns: (wire: Wire) => Turn[],
  body: (project: AgentProject, wire: Wire) => Promise<void>,
): Promise<void> {
  await Promise.all(WIRES.map(async (wire) => {
    await using project = await AgentProject.open({ turns: turns(wire) });
    await body(project, wire);
  }));
}

const of = (lines: readonly Line[], type: string, subtype?: string): Line[] =>
  lines.filter((line) => line["type"] === type && (subtype === undefined || line["subtype"] === subtype));

Deno.test("an error event mid-stream is retried, and when it stays the run fails and nothing partial is the answer", async () => {
  const dying = (text: string): Turn => ({
    text: [text, " of an answer"],
    fault: { error_after_frames: 4, error: OVERLOADED },
  });
  await onBothWires(
    () => [dying("first"), { text: "whole answer" }, dying("second"), dying("third"), { text: "after" }],
    async (project, wire) => {
      const run = await project.converse(["recovers", "does not", "next"], [], {
        wire,
        settings: { API_MAX_ATTEMPTS: "2" },
      });
      assert.equal(run.code, 0, run.stderr);
      const [recovers = [], fails = [], next = []] = run.prompts;

      assert.equal(resultOf(recovers)["result"], "whole answer");
      const [retry] = of(recovers, "system", "api_retry");
      assert.deepEqual([retry?.["attempt"], retry?.["max_retries"], retry?.["error"]], [1, 2, "overloaded"]);
      const [dead, whole] = of(recovers, "assistant");
      assert.equal(dead?.["aborted"], true);
      assert.match(dead?.["message"].content[0].text, /^first/);
      assert.equal(whole?.["aborted"], undefined);

      const failed = resultOf(fails);
      assert.deepEqual([failed["subtype"], failed["is_error"]], ["error_during_execution", true]);
      assert.equal(failed["error_code"], "model.overloaded");
      assert.equal("result" in failed, false);
      assert.match(failed["errors"][0], /Overloaded/);
      assert.deepEqual(of(fails, "assistant").map((line) => line["aborted"]), [true, true]);
      assert.equal(resultOf(next)["result"], "after");

      const events = await project.journal(run.session_id);
      const died = events.filter((event) => event.type === "model.retried" || event.type === "model.failed");
      assert.deepEqual(died.map((event) => event.type), ["model.retried", "model.retried", "model.failed"]);
      assert.match(payload(died[2])["partial"].content[0].text, /^third/);
      const answers = events.filter((event) => event.type === "model.answered");
      assert.equal(answers.length, 2, "a partial message is never recorded as an answer");

      const single = await project.run(["-p", "alone"], { wire, settings: { API_MAX_ATTEMPTS: "1" } });
      assert.deepEqual([single.code, single.stdout], [1, ""], "the script is used up: HTTP 500");
      assert.match(single.stderr, /^lumina: .*script exhausted.*\n$/);
    },
  );
});

Deno.test("an error in a chunk, as one line of JSON or under HTTP 200 is one failure and never an empty success", async () => {
  const body = { error: { message: "the engine is gone", type: "server_error", code: "engine_gone" } };
  const lines = `${JSON.stringify({ model: "m", done: false })}\n${JSON.stringify(body)}\n`;
  await using project = await AgentProject.open({
    turns: [
      {
        text: ["some", " text"],
        fault: { error_after_frames: 2, error: { type: "server_error", message: "gone" } },
      },
      { fault: { http: { status: 200, body } } },
      { fault: { http: { status: 200, body: lines, headers: { "content-type": "application/x-ndjson" } } } },
      { fault: { http: { status: 200, body: "" } } },
    ],
  });
  const run = await project.converse(["a", "b", "c", "d"], [], {
    wire: "openai_compatible",
    settings: { API_MAX_ATTEMPTS: "1" },
  });
  assert.equal(run.code, 1);
  assert.equal(run.prompts.length, 4);
  for (const prompt of run.prompts) {
    const result = resultOf(prompt);
    assert.equal(result["is_error"], true, JSON.stringify(result));
    assert.equal(result["errors"].length, 1);
  }
  assert.match(resultOf(run.prompts[0] ?? [])["errors"][0], /gone/);
  assert.match(resultOf(run.prompts[1] ?? [])["errors"][0], /the engine is gone/);
  assert.match(resultOf(run.prompts[2] ?? [])["errors"][0], /the engine is gone/);
  const [first, ...rest] = run.prompts.map((prompt) => of(prompt, "assistant"));
  assert.deepEqual(first?.map((line) => line["aborted"]), [true]);
  assert.deepEqual(rest.flat(), [], "no message where nothing was said");
});

Deno.test("parallel calls with one index, none, some or sparse ones all run once, with their own arguments, in order", async () => {
  const faults: Turn["fault"][] = [
    { index: "zero" },
    { index: "missing" },
    { index: "first_only" },
    { index: "sparse", interleave: true },
    { finish_reason: "stop" },
  ];
  const calls = ["a.txt", "b.txt", "c.txt"].map((file_path, at) => ({
    name: "Read",
    id: `id_${at}`,
    input: { file_path },
  }));
  await using project = await AgentProject.open({
    turns: faults.flatMap((fault): Turn[] => [{ tool_calls: calls, fault }, { text: "done" }]),
  });
  for (const name of ["a", "b", "c"]) await project.dir.write(`${name}.txt`, `content of ${name}\n`);
  const run = await project.converse(faults.map((_, at) => `prompt ${at}`), [], {
    wire: "openai_compatible",
  });
  assert.equal(run.code, 0, run.stderr);
  for (const [at, lines] of run.prompts.entries()) {
    const what = JSON.stringify(faults[at]);
    assert.equal(resultOf(lines)["result"], "done", what);
    const read = sentResults(project.provider.requests[at * 2 + 1]).map(({ content }) =>
      /content of (.)/.exec(content)?.[1]
    );
    assert.deepEqual(read, ["a", "b", "c"], what);
  }
  const started = (await project.journal(run.session_id)).filter((event) => event.type === "tool.started");
  assert.equal(started.length, 15);
});

Deno.test("empty, blank and null arguments mean {}, broken ones never run and go back as an error", async () => {
  const empty = ["", "  ", "null"].map((raw_arguments, at) => ({
    name: "List",
    raw_arguments,
    id: `e${at}`,
  }));
  const broken = [
    { name: "Write", raw_arguments: '{"file_path":"broken.txt","content":"abc', id: "b0" },
    { name: "Write", raw_arguments: '["broken.txt"]', id: "b1" },
    { name: "List", raw_arguments: '{"path":', id: "b2" },
  ];
  await onBothWires(
    () => [{ tool_calls: empty }, { tool_calls: broken }, { text: "sorry" }],
    async (project, wire) => {
      await project.dir.write("seen.txt", "x");
      const run = await project.stream("go", ["--permission-mode", "yolo"], { wire });
      assert.equal(run.code, 0, run.stderr);
      const listed = sentResults(project.provider.requests[1]);
      assert.deepEqual(listed.map(({ is_error }) => is_error), [false, false, false]);
      for (const { content } of listed) assert.match(content, /seen\.txt/);

      const refused = sentResults(project.provider.requests[2]);
      assert.deepEqual(refused.map(({ is_error }) => is_error), [true, true, true]);
      for (const { content } of refused) assert.match(content, /not valid JSON.*did not run/);
      assert.match(refused[0]?.content ?? "", /abc$/, "what arrived is shown");
      await assert.rejects(Deno.stat(project.dir.join("broken.txt")), Deno.errors.NotFound);
      const events = await project.journal(run.session_id);
      assert.equal(events.filter((event) => event.type === "tool.started").length, 3);
      assert.equal(resultOf(run.lines)["result"], "sorry");
    },
  );
});

Deno.test("a call that the output limit cut off does not run", async () => {
  await onBothWires(
    () => [
      {
        tool_calls: [{ name: "Write", raw_arguments: '{"file_path":"cut.txt","con' }],
        stop: "max_tokens",
      },
      { text: "I will write less" },
    ],
    async (project, wire) => {
      const run = await project.stream("go", ["--permission-mode", "yolo"], { wire });
      assert.equal(run.code, 0, run.stderr);
      const [refused] = sentResults(project.provider.requests[1]);
      assert.match(refused?.content ?? "", /output limit/);
      await assert.rejects(Deno.stat(project.dir.join("cut.txt")), Deno.errors.NotFound);
    },
  );
});

Deno.test("a stream that goes silent ends with a typed error after the idle limit, whatever keeps it alive", async () => {
  const stalls: Turn["fault"][] = [
    { stall_after_frames: 0 },
    { stall_after_frames: 5, keep_alive: "comment" },
    { stall_after_frames: 5, keep_alive: "ping" },
    { stall_after_frames: 5, keep_alive: "blank" },
  ];
  await onBothWires(
    (wire) =>
      // a ping is an event of the Anthropic wire
      stalls.map((fault) => ({ text: ["a", "b", "c", "d"], fault }))
        .filter(({ fault }) => wire === "anthropic" || fault?.keep_alive !== "ping"),
    async (project, wire) => {
      const prompts = wire === "anthropic" ? ["0", "1", "2", "3"] : ["0", "1", "2"];
      const run = await project.converse(prompts, [], {
        wire,
        settings: { API_MAX_ATTEMPTS: "1", API_STREAM_IDLE_TIMEOUT_SECONDS: "0.4" },
      });
      assert.equal(run.code, 1);
      assert.equal(run.prompts.length, prompts.length);
      for (const lines of run.prompts) {
        const result = resultOf(lines);
        assert.equal(result["error_code"], "model.timeout", JSON.stringify(result));
        assert.ok(
          result["duration_ms"] >= 350 && result["duration_ms"] < 5000,
          String(result["duration_ms"]),
        );
      }
      const said = run.prompts.map((lines) => of(lines, "assistant").map((line) => line["aborted"]));
      assert.deepEqual(said[0], []);
      assert.deepEqual(said[1], [true]);
    },
  );
});

Deno.test("HTTP 429 waits as long as Retry-After says and is a rate limit, not a full window, when it stays", async () => {
  const limited = (retry_after: string): Turn => ({ fault: { http: "rate_limit", retry_after } });
  await onBothWires(
    () => [limited("1"), { text: "at last" }, limited("0"), limited("0")],
    async (project, wire) => {
      const run = await project.converse(["waits", "gives up"], [], {
        wire,
        settings: { API_MAX_ATTEMPTS: "2" },
      });
      const [waits = [], gives_up = []] = run.prompts;
      assert.equal(resultOf(waits)["result"], "at last");
      const [retry] = of(waits, "system", "api_retry");
      assert.deepEqual([retry?.["retry_delay_ms"], retry?.["error_status"], retry?.["error"]], [
        1000,
        429,
        "rate_limit",
      ]);
      const [first, second] = project.provider.requests;
      assert.ok((second?.at_ms ?? 0) - (first?.at_ms ?? 0) >= 990);
      assert.equal(first?.raw, second?.raw, "the same request again, nothing left out of it");
      assert.equal(resultOf(gives_up)["error_code"], "model.rate_limit");
      assert.equal(project.provider.requests.length, 4);
      assert.equal(run.code, 1);
    },
  );
});

Deno.test("after a stream that died inside a tool call the session goes on, also on the other wire and with odd ids", async () => {
  const odd = `functions.Read:0|${"long".repeat(20)}`;
  const other = (wire: Wire): Wire => wire === "anthropic" ? "openai_compatible" : "anthropic";
  await onBothWires(
    (wire) => [
      {
        text: "one",
        tool_calls: [{
          name: "Read",
          input: { file_path: "f.txt" },
          id: wire === "anthropic" ? "toolu_x" : odd,
        }],
      },
      {
        text: "then",
        tool_calls: [{ name: "Write", input: { file_path: "dead.txt", content: "x".repeat(200) } }],
        fault: { cut_after_frames: wire === "anthropic" ? 8 : 4 },
      },
      { text: "same wire goes on" },
      { text: "two", tool_calls: [{ name: "Read", input: { file_path: "f.txt" }, id: "call_0" }] },
      { text: "other wire goes on" },
      { text: "and back" },
    ],
    async (project, wire) => {
      await project.dir.write("f.txt", "file\n");
      const settings = { API_MAX_ATTEMPTS: "1" };
      const mode = ["--permission-mode", "yolo"];
      const run = await project.converse(["dies", "goes on"], mode, { wire, settings });
      const [dies = [], goes_on = []] = run.prompts;
      assert.equal(resultOf(dies)["is_error"], true);
      assert.equal(of(dies, "assistant").at(-1)?.["aborted"], true);
      assert.equal(resultOf(goes_on)["result"], "same wire goes on");
      await assert.rejects(Deno.stat(project.dir.join("dead.txt")), Deno.errors.NotFound);

      const resume = ["--resume", run.session_id, ...mode];
      const switched = await project.stream("switch", resume, { wire: other(wire), settings });
      assert.equal(resultOf(switched.lines)["result"], "other wire goes on", switched.stdout);
      const back = await project.stream("back", resume, { wire, settings });
      assert.equal(resultOf(back.lines)["result"], "and back", back.stdout);
      assert.equal(project.provider.requests.length, 6, "the provider checked and took every history");
    },
  );
});
