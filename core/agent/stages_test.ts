import assert from "node:assert/strict";
import { LuminaError, systemWorld } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import type { RunEvent } from "../types/mod.ts";
import { ABORT_GRACE_MS, END_LIMIT_MS, STAGE_LIMIT_MS } from "./call_bounded.ts";
import { STAGE_ORDER, STAGES, Stages } from "./stages.ts";
import type { RunScope, StageParticipant } from "./stages.ts";

/** A run without a session: participants of these tests use none. Time passes when the test says so. */
function testRun(signal = new AbortController().signal) {
  const waiting: { ms: number; wake: () => void }[] = [];
  const calls: string[] = [];
  const told: RunEvent[] = [];
  const world: World = {
    ...systemWorld,
    sleep: (ms, until) =>
      new Promise((resolve, reject) => {
        const wait = { ms, wake: resolve };
        waiting.push(wait);
        until?.addEventListener("abort", () => {
          waiting.splice(waiting.indexOf(wait), 1);
          reject(until.reason);
        }, { once: true });
      }),
    stage: (run, stage, name) => calls.push(`${run} ${stage}:${name}`),
  };
  const run = {
    run_id: "r",
    world,
    signal,
    emit: (event: RunEvent) => told.push(event),
  } as unknown as RunScope;
  /** Ends the wait of a limit as soon as somebody waits for it. */
  const pass = async (ms: number) => {
    const found = () => waiting.find((each) => each.ms === ms);
    await until(() => found() !== undefined);
    found()?.wake();
  };
  return { run, calls, told, pass };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await Promise.resolve();
}

const hooks = (at: StageParticipant["at"]): StageParticipant => ({ name: "hooks", at });
const never = () => new Promise<void>(() => {});

Deno.test("a stage is called in the order of the data, the loop's own parts among the features, and each call is traced", async () => {
  const { run, calls } = testRun();
  const came: string[] = [];
  const stages = new Stages([{ name: "capture", at: { before_tool: () => void came.push("capture") } }]);
  const own = {
    permission: () => Promise.resolve(void came.push("permission")),
  };
  await stages.at("before_tool", {} as never, run, own);
  assert.deepEqual(came, STAGE_ORDER.before_tool.filter((name) => came.includes(name)));
  assert.deepEqual(calls, came.map((name) => `r before_tool:${name}`));
});

Deno.test("a part of the loop that stops the stage is the last to come", async () => {
  const { run, calls } = testRun();
  const stages = new Stages([{ name: "capture", at: { before_tool: () => assert.fail("came") } }]);
  await stages.at("before_tool", {} as never, run, { permission: () => Promise.resolve("stop") });
  assert.deepEqual(calls, ["r before_tool:permission"]);
});

Deno.test("a participant that the order does not name is refused", () => {
  assert.throws(() => new Stages([{ name: "stranger", at: { prompt: () => {} } }]), /STAGE_ORDER.prompt/);
});

Deno.test("a participant's failure has its own code, or says whose it is", async () => {
  const { run } = testRun();
  const own = new LuminaError("agent.budget", "no money");
  const codes: [error: Error, code: string][] = [[own, "agent.budget"], [
    new TypeError("oh"),
    "agent.stage_failed",
  ]];
  for (const [error, code] of codes) {
    const stages = new Stages([hooks({ prompt: () => Promise.reject(error) })]);
    await assert.rejects(stages.at("prompt", { prompt: "", context: [] }, run), { code });
  }
});

Deno.test("a participant that does not come back is given up, and named", async () => {
  const { run, pass } = testRun();
  const stages = new Stages([hooks({ prompt: never })]);
  const called = stages.at("prompt", { prompt: "", context: [] }, run);
  const refused = assert.rejects(called, {
    code: "agent.stage_timeout",
    message: /"hooks" .* prompt within 600 s/,
  });
  await pass(STAGE_LIMIT_MS);
  await refused;
});

Deno.test("a participant that ignores the end of the run's signal is left behind", async () => {
  const abort = new AbortController();
  const { run, pass } = testRun(abort.signal);
  const stages = new Stages([hooks({ prompt: never })]);
  const refused = assert.rejects(stages.at("prompt", { prompt: "", context: [] }, run), /enough/);
  abort.abort(new Error("enough"));
  await pass(ABORT_GRACE_MS);
  await refused;
});

Deno.test("what goes wrong at the end is told, and the others still come", async () => {
  const { run, told, calls, pass } = testRun();
  const stages = new Stages([hooks({ end: () => Promise.reject(new Error("oh")) }), hooks({ end: never })]);
  const ended = stages.atEnd({ result: {} as never }, run);
  await until(() => calls.length === 2);
  await pass(END_LIMIT_MS);
  await ended;
  assert.equal(calls.length, 2);
  assert.match(
    JSON.stringify(told),
    /\\"hooks\\" of the run failed at end: oh.*did not come back from end within 30 s/,
  );
});

Deno.test("the page of stages has them all, in their order", async () => {
  const page = await Deno.readTextFile(new URL("../../resources/docs/stages.md", import.meta.url));
  assert.deepEqual([...page.matchAll(/^\| `(\w+)`/gm)].map(([_row, name]) => name), [...STAGES]);
});
