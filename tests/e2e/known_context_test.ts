// Reports of other agents' compaction, by their row in the list of known bugs: 56, 58 and 59; and what a compaction must
// leave as it was: reasoning, what came before, what hooks say.
import assert from "node:assert/strict";
import { AgentProject, payload } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { Typist } from "../support/typist.ts";

const ID = "5b0c2c0e-6f0f-4d0a-9a3f-0a1b2c3d4e5f";
const YOLO = ["--permission-mode", "yolo"];
const STREAM = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", ...YOLO];
const RESUME = ["--resume", ID, ...YOLO];
const settings = { CONTEXT_WINDOW: "100000" };
const SUM = "one JSON object a line";
const THOUGHT = "先想一想 \u2028 <b>\\n\t“quotes” 😀  ";
const LIST = { name: "List", input: { path: "." } };

/** The messages of a request. */
function sent(project: AgentProject, n: number): Line[] {
  return project.provider.requests.at(n)?.body["messages"] as Line[];
}

/** The blocks of a request of one type. */
function blocks(project: AgentProject, n: number, type: string): Line[] {
  return sent(project, n).flatMap(({ content }) =>
    Array.isArray(content) ? content.filter((block: Line) => block["type"] === type) : []
  );
}

Deno.test("rows 56, 58 and 59: late results, empty summaries and circles; reasoning, hooks, interrupts and kills around a compaction", async () => {
  const summary = (text: string) => ({ match: SUM, text });
  await using project = await AgentProject.open({
    turns: [
      { match: "kept HELD", text: "never used", hold: { name: "held" } },
      { match: "kept KILLED", text: "never used", hold: { name: "killed" } },
      { match: SUM, text: "", usage: { output: 0 } },
      { match: SUM, text: "", usage: { output: 0 } },
      summary("SUMMARY-ONE"),
      summary("SUMMARY-TWO"),
      {
        match: "the first request",
        thinking: THOUGHT,
        signature: "sig+/=1",
        redacted_thinking: "cmVk",
        tool_calls: [LIST],
      },
      { thinking: `${THOUGHT}2`, signature: "sig2", text: "first answer" },
      // row 56: the sub-agent ends after the compaction
      {
        match: "delegate",
        thinking: `${THOUGHT}3`,
        signature: "sig3",
        redacted_thinking: "cmVkMw==",
        usage: { input: 60_000 },
        tool_calls: [{
          name: "Agent",
          input: {
            description: "d",
            prompt: "look slowly",
            subagent_type: "general-purpose",
            run_in_background: true,
          },
        }],
      },
      { match: "look slowly", text: "three faults", hold: { name: "slow" } },
      { match: "works in the background", fault: { http: "overflow" } },
      { match: "works in the background", text: "waiting" },
      { match: "three faults", text: "second answer" },
      // row 59: the window is full again after each compaction
      { match: SUM, text: "SUMMARY-CIRCLE", repeat: true },
      { match: "end it", text: "third answer" },
      { match: "after the kill", text: "fourth answer" },
      { match: "in the fork", text: "fifth answer" },
      { match: "after going back", text: "sixth answer" },
      { tool_calls: [LIST], usage: { input: 90_000 }, repeat: true },
    ],
  });
  const command = (text: string) => [{ hooks: [{ type: "command", command: text }] }];
  await Deno.mkdir(`${project.app_root}/config`, { recursive: true });
  await Deno.writeTextFile(
    `${project.app_root}/config/settings.json`,
    JSON.stringify({
      hooks: {
        PreCompact: command(`if grep -q forbidden; then echo "not this" >&2; exit 2; fi; echo '{}'`),
        PostCompact: command(`cat >> '${project.app_root}/told.log'`),
      },
    }),
  );
  const { provider } = project;
  const typist = new Typist(await project.start([...STREAM, "--session-id", ID], { settings }));
  await using _run = typist.run;
  const ask = async (text: string) => {
    await typist.say(text);
    return await typist.result();
  };

  assert.equal((await ask("the first request"))["result"], "first answer");
  const blocked = await ask("/compact what is forbidden");
  assert.deepEqual([blocked["is_error"], blocked["error_code"]], [true, "agent.compaction_blocked"]);
  assert.match(
    JSON.stringify(blocked["errors"]),
    /A hook does not let the conversation be compacted: not this/,
  );
  assert.equal(provider.requests.length, 2, "nothing was asked");

  // row 58
  const empty = await ask("/compact");
  assert.deepEqual([empty["is_error"], empty["error_code"]], [true, "agent.compaction_failed"]);
  assert.match(JSON.stringify(empty["errors"]), /could not be summed up: .* gave an empty answer/);
  assert.equal(provider.requests.length, 4, "asked twice and no more");
  const compacted = await ask("/compact focus on names");
  assert.equal(compacted["is_error"], false, JSON.stringify(compacted));
  assert.match(provider.requests.at(-1)?.raw ?? "", /focus on names/);
  const told = JSON.parse(await Deno.readTextFile(`${project.app_root}/told.log`));
  assert.equal(told["trigger"], "manual");
  assert.match(told["compact_summary"], /SUMMARY-ONE/);

  // row 56
  await typist.say("delegate");
  await typist.until((line) => JSON.stringify(line).includes('"waiting"') && line["type"] === "assistant");
  provider.release("slow");
  assert.equal((await typist.result())["result"], "second answer");
  const again = provider.requests.findIndex(({ raw }) => raw.includes("SUMMARY-TWO"));
  for (const n of [again, -1]) {
    assert.deepEqual(blocks(project, n, "thinking"), [{
      type: "thinking",
      thinking: `${THOUGHT}3`,
      signature: "sig3",
    }]);
    assert.deepEqual(blocks(project, n, "redacted_thinking"), [{
      type: "redacted_thinking",
      data: "cmVkMw==",
    }]);
  }
  const last = JSON.stringify(sent(project, -1));
  assert.match(last, /SUMMARY-TWO[^]*"waiting"[^]*three faults/);
  assert.doesNotMatch(last, /SUMMARY-ONE|first answer/);
  assert.equal(blocks(project, -1, "tool_result").length, 1, "what came late is no result");

  // row 59
  const before = provider.requests.length;
  const circle = await ask("go round in circles");
  assert.deepEqual([circle["is_error"], circle["error_code"]], [true, "agent.compaction_thrash"]);
  assert.ok(provider.requests.length - before < 12, `${provider.requests.length - before} requests`);

  await typist.say("/compact kept HELD");
  await provider.waitForRequest(provider.requests.length + 1);
  await typist.say({ type: "control_request", request_id: "stop", request: { subtype: "interrupt" } });
  assert.equal((await typist.result())["terminal_reason"], "interrupted");
  assert.equal((await ask("end it"))["result"], "third answer");
  const whole = JSON.stringify(sent(project, -1));
  const run = await typist.end();
  assert.equal(run.code, 0, run.stderr);

  const killed = await project.start(["-p", "/compact kept KILLED", ...RESUME], { settings });
  await using _killed = killed;
  await killed.closeInput();
  await provider.waitForRequest(provider.requests.length + 1);
  killed.kill("SIGKILL");
  await killed.finished;
  const resumed = await project.run(["-p", "after the kill", ...RESUME], { settings });
  assert.deepEqual([resumed.code, resumed.stdout], [0, "fourth answer\n"], resumed.stderr);
  assert.ok(JSON.stringify(sent(project, -1)).startsWith(whole.slice(0, -1)), "it goes on byte for byte");

  const fork = await project.run(["session", "fork", ID]);
  const forked = await project.run(["-p", "in the fork", "--resume", fork.stdout.trim(), ...YOLO], {
    settings,
  });
  assert.deepEqual([forked.code, forked.stdout], [0, "fifth answer\n"], forked.stderr);
  assert.ok(JSON.stringify(sent(project, -1)).startsWith(whole.slice(0, -1)), "the fork begins with it");

  // back to before any compaction: the whole conversation, with its reasoning
  const events = await project.journal(ID);
  const answer = events.filter(({ type }) => type === "model.answered")[1];
  const back = await project.run([
    "session",
    "rewind",
    ID,
    "--to",
    String(answer?.seq),
    "--conversation",
    "--yes",
  ]);
  assert.equal(back.code, 0, back.stderr);
  const early = await project.run(["-p", "after going back", ...RESUME], { settings });
  assert.deepEqual([early.code, early.stdout], [0, "sixth answer\n"], early.stderr);
  assert.doesNotMatch(JSON.stringify(sent(project, -1)), /SUMMARY/);
  assert.deepEqual(blocks(project, -1, "thinking"), [
    { type: "thinking", thinking: THOUGHT, signature: "sig+/=1" },
    { type: "thinking", thinking: `${THOUGHT}2`, signature: "sig2" },
  ]);
  const bytes = events.filter(({ type }) => type === "session.compacted").map((event) =>
    JSON.stringify(payload(event)).length
  );
  assert.ok(bytes.every((size) => size < 40_000), `${bytes}`);
});
