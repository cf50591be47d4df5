import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { ProviderScriptInput } from "../../core/model/scripted/mod.ts";
import { AgentProject, payload, resultOf, WIRES } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { runLumina } from "../support/run_lumina.ts";

type Turn = ProviderScriptInput["turns"][number];

/** Only for the request of a summary. */
const match = "The conversation to summarise";
const SUMMARY = {
  title: "解析器的修复",
  summary: "The parser was mended. 测试通过。",
  tags: ["parser", "修复"],
};
const summary: Turn = { match, text: JSON.stringify(SUMMARY), usage: { input: 100, output: 20 } };
const ok: Turn = { text: "done", repeat: true, usage: { input: 10, output: 5 } };
const every = (turns: number, more: Record<string, string> = {}) => ({
  settings: { SESSION_MEMORY_TURN_INTERVAL: String(turns), ...more },
});
const isSummary = ({ raw }: { raw: string }) => raw.includes(match);

/** What a command about sessions prints. */
async function command(project: AgentProject, ...args: string[]) {
  return await runLumina(["session", ...args], { app_root: project.app_root, cwd: project.dir.path });
}

Deno.test("session_memory_turn_interval prompts make a summary: title and history; its tokens are the session's and not the run's", async () => {
  await Promise.all(WIRES.map(async (wire) => {
    await using project = await AgentProject.open({ turns: [summary, ok] });
    const long = `长 ${"p".repeat(2_000)}`;
    const run = await project.converse([long, "second", "third"], [], { wire, ...every(2) });
    assert.equal(run.code, 0, run.stderr);
    assert.equal(run.stderr, "");
    for (const lines of run.prompts) {
      const { usage, modelUsage } = resultOf(lines);
      assert.deepEqual([usage.input_tokens, usage.output_tokens, Object.keys(modelUsage).length], [10, 5, 1]);
    }
    const asked = project.provider.requests.filter(isSummary);
    assert.equal(asked.length, 1);
    assert.equal(asked[0]?.body["max_tokens"], 800);
    assert.equal(asked[0]?.body["tools"], undefined);
    assert.ok(!asked[0]?.raw.includes("p".repeat(1_200)), "a long text is shown in part");
    assert.ok(asked[0]?.raw.includes("p".repeat(1_190)));
    assert.ok(!asked[0]?.raw.includes("third"));

    const list = JSON.parse((await command(project, "list", "--json")).stdout);
    assert.deepEqual(list.map(({ title, tokens }: Line) => [title, tokens]), [[SUMMARY.title, 3 * 15 + 120]]);
    const history = JSON.parse((await command(project, "history", run.session_id, "--json")).stdout);
    assert.equal(history.total, 1);
    const { number, title, preview, tags } = history.entries[0];
    assert.deepEqual({ number, title, preview, tags }, {
      number: 1,
      title: SUMMARY.title,
      preview: SUMMARY.summary,
      tags: SUMMARY.tags,
    });
    assert.deepEqual(history.spent.usage, { input: 100, output: 20, cache_read: 0, cache_write: 0 });
    const events = await project.journal(run.session_id);
    const spent = events.filter(({ type }) => type === "usage.recorded").map((event) =>
      payload(event)["chain"]
    );
    assert.deepEqual(spent.filter((chain) => chain !== undefined), ["session_memory"]);
    const named = await command(project, "history", run.session_id, "--get", "1");
    assert.match(
      named.stdout,
      /修复[^]*The parser was mended[^]*\] user: second\n\[\d+\] assistant: done\n$/,
    );
    const found = await command(project, "history", run.session_id, "--query", "测试通过");
    assert.match(
      found.stdout,
      /^1 {2}.*\n {4}解析器的修复 {2}#parser {2}#修复\n[^]*1 summary; .* used 120 tokens\n$/,
    );
  }));
});

Deno.test("session history: a query without a hit, a wrong number, flags that do not go together", async () => {
  await using project = await AgentProject.open({ turns: [summary, ok] });
  const run = await project.stream("one", [], every(1));
  const outcomes = [];
  for (
    const args of [["--query", "nowhere %_\"'"], ["--get", "2"], ["--get", "1", "--query", "x"], [
      "--limit",
      "101",
    ]]
  ) {
    const { code, stdout, stderr } = await command(project, "history", run.session_id, ...args);
    outcomes.push([code, stdout + stderr.replace("lumina: ", "")]);
  }
  assert.deepEqual(outcomes.slice(0, 3), [
    [0, `No summary holds "nowhere %_\\"'"\n`],
    [4, "There is no summary 2: they are numbered from 1 to 1\n"],
    [2, "--get shows one summary: leave --query and --limit out\n"],
  ]);
  assert.equal(outcomes[3]?.[0], 2);
});

Deno.test("session_memory_model is asked for the summary; 0, --bare and replay ask for none; a person's title stays", async () => {
  await using project = await AgentProject.open({ turns: [{ ...summary, repeat: true }, ok] });
  const first = await project.stream("one", [], every(1, { SESSION_MEMORY_MODEL: "small-model" }));
  const models = project.provider.requests.map((request) => [isSummary(request), request.body["model"]]);
  assert.deepEqual(models, [[false, "scripted-model"], [true, "small-model"]]);
  const renamed = await command(project, "rename", first.session_id, "Mine");
  assert.equal(renamed.code, 0, renamed.stderr);
  await project.stream("two", ["--resume", first.session_id], every(1));
  assert.equal(JSON.parse((await command(project, "list", "--json")).stdout)[0].title, "Mine");
  const before = project.provider.requests.filter(isSummary).length;
  assert.equal(before, 2);

  await project.stream("three", ["--resume", first.session_id], every(0));
  await project.stream("four", ["--bare"], every(1));
  const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0 };
  const answer = {
    type: "done",
    message: { role: "assistant", content: [{ type: "text", text: "replayed" }] },
  };
  const done = { ...answer, stop: "end_turn", usage, model: "m", message_id: "a" };
  const file = await project.dir.write("answers.jsonl", `${JSON.stringify({ events: [done] })}\n`);
  const replayed = await project.run(["-p", "five"], every(1, { API_TYPE: "replay", API_REPLAY_FILE: file }));
  assert.deepEqual([replayed.stdout, replayed.stderr], ["replayed\n", ""]);
  assert.equal(project.provider.requests.filter(isSummary).length, before);
});

Deno.test("a wrong answer is asked for again once; then it is a warning, and the next stretch takes its part over", async () => {
  const wrong: Turn = { match, text: "Certainly! Here it is.", usage: { input: 50, output: 6 } };
  await using project = await AgentProject.open({
    turns: [wrong, { ...wrong, match: "That is of no use: it is not JSON" }, summary, ok],
  });
  const first = await project.stream("one", [], every(1));
  assert.equal(first.code, 0);
  assert.match(
    first.stderr,
    /^lumina: No summary was written for the session's history: scripted-model gave no summary: it is not JSON\n$/,
  );
  const [, ask, again] = project.provider.requests;
  assert.ok(ask !== undefined && again?.raw.includes("Certainly! Here it is."));
  let events = await project.journal(first.session_id);
  assert.deepEqual(events.slice(-3).map(({ type }) => type), [
    "memory.failed",
    "usage.recorded",
    "warning.raised",
  ]);
  assert.deepEqual(payload(events.at(-2))["usage"], {
    input: 100,
    output: 12,
    cache_read: 0,
    cache_write: 0,
  });
  await project.stream("two", ["--resume", first.session_id], every(1));
  events = await project.journal(first.session_id);
  const prompts = events.filter(({ type }) => type === "run.started").map(({ seq }) => seq);
  const made = events.filter(({ type }) => type === "memory.summarised").map((event) => payload(event));
  assert.equal(made.length, 1);
  assert.ok(made[0]?.["from"] === prompts[0] && made[0]?.["to"] > (prompts[1] ?? Infinity));
});

Deno.test("the fallback model serves the session memory", async () => {
  const overloaded: Turn = { match, fault: { http: "overloaded", retry_after: "0" } };
  await using project = await AgentProject.open({ turns: [overloaded, overloaded, ok] });
  await using second = await startScriptedProvider({ turns: [summary] });
  const run = await project.stream(
    "one",
    [],
    every(1, {
      API_MAX_ATTEMPTS: "2",
      FALLBACK_API_ENABLED: "true",
      FALLBACK_API_MODEL: "second-model",
      FALLBACK_API_TYPE: "openai_compatible",
      FALLBACK_API_BASE_URL: second.url,
      FALLBACK_API_KEY: "sk-second",
    }),
  );
  assert.equal(run.stderr, "");
  assert.equal(second.requests[0]?.body["max_tokens"], 800);
  const made = (await project.journal(run.session_id)).find(({ type }) => type === "memory.summarised");
  assert.equal(payload(made)["model"], "second-model");
});

Deno.test("a summary that takes long delays no answer, is left after a few seconds and written beside the next run", async () => {
  const slow: Turn = { ...summary, hold: { name: "never" } };
  await using project = await AgentProject.open({ turns: [slow, summary, ok] });
  await using run = await project.start(["-p", "one", "--output-format", "json"], every(1));
  await run.closeInput();
  let answered = 0;
  let session_id = "";
  for await (const line of run.lines()) {
    answered ||= performance.now();
    session_id ||= JSON.parse(line).session_id;
  }
  const { code, stderr } = await run.finished;
  const waited = performance.now() - answered;
  assert.deepEqual([code, stderr], [0, ""]);
  assert.ok(waited > 3_000 && waited < 9_000, `ended ${waited} ms after the answer`);
  const next = await project.stream("two", ["--resume", session_id], every(1_000));
  assert.equal(next.code, 0);
  assert.equal(project.provider.requests.filter(isSummary).length, 1, "not due for this interval");
  // with the interval of before, the summary that was left is written beside the run: it does not hold the run's own prompt
  const late = await project.stream("three", ["--resume", session_id], every(2));
  assert.equal(late.code, 0, late.stderr);
  const events = await project.journal(session_id);
  const made = events.filter(({ type }) => type === "memory.summarised").map((event) => payload(event));
  const third = events.filter(({ type }) => type === "run.started").at(-1);
  assert.equal(made.length, 1);
  assert.ok(made[0]?.["to"] < (third?.seq ?? 0));
});

Deno.test("an interrupted program does not wait for the summary", async () => {
  await using project = await AgentProject.open({ turns: [{ ...summary, hold: { name: "never" } }, ok] });
  await using run = await project.start(["-p", "one"], every(1));
  await run.closeInput();
  await project.provider.waitForRequest(2);
  const started = performance.now();
  run.kill("SIGINT");
  const { stdout } = await run.finished;
  assert.ok(performance.now() - started < 3_000);
  assert.equal(stdout, "done\n");
});
