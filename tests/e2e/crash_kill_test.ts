import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { appRootPaths } from "../../core/app_root/mod.ts";
import type { ProviderScriptInput } from "../../core/model/scripted/mod.ts";
import type { StoredEvent } from "../../core/types/mod.ts";
import { AgentProject, payload } from "../support/agent_project.ts";
import type { Wire } from "../support/agent_project.ts";

const ROUNDS = 4;
const KILLS = 30;
/** How many runs go on at a time. */
const LANES = 2;

/** Draws that can be drawn again from the printed seed (mulberry32). */
function draws(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Each round appends a line of its own to a file: an effect that could be seen twice. */
const SCRIPT: ProviderScriptInput = {
  turns: [
    // first, since a turn without a match would answer it too
    { text: "carried on", repeat: true, match: "carry on" },
    ...Array.from({ length: ROUNDS }, (_, at) => ({
      text: `round ${at} `.repeat(5),
      tool_calls: [{ name: "Bash", input: { command: `echo effect-${at} >> effects` }, id: "call_0" }],
    })),
    { text: "all four done" },
  ],
};

type Moment = { kind: "start" | "request" | "line"; n: number; delay_ms: number };

async function killAt(moment: Moment, wire: Wire): Promise<string> {
  await using project = await AgentProject.open(SCRIPT);
  const id = crypto.randomUUID();
  const args = ["--output-format", "stream-json", "--permission-mode", "yolo"];
  const run = await project.start(["-p", "do four", "--session-id", id, ...args], { wire });
  await using _run = run;
  await run.closeInput();
  await reached(moment, project, run.lines(), run.finished);
  await new Promise((resolve) => setTimeout(resolve, moment.delay_ms));
  run.kill("SIGKILL");
  const { code } = await run.finished;
  if (code === 0) return "finished first";
  assert.equal(code, 137);

  const journal_file = `${appRootPaths(project.app_root).sessionDir(id)}/runtime.sqlite`;
  const had_file = existsSync(journal_file);
  const effects_before = await effects(project);
  const resumed = await project.run(["-p", "carry on", "--resume", id, ...args], { wire });
  if (resumed.code === 4) {
    // killed before the session was there: nothing can have happened, and its name is free
    assert.deepEqual(effects_before, []);
    assert.match(resumed.stderr, /^lumina: There is no session [^\n]*\n$/);
    const anew = await project.run(["-p", "carry on", "--session-id", id, ...args], { wire });
    assert.equal(anew.code, 0, anew.stderr + anew.stdout);
    return had_file ? "journal begun, session not created" : "nothing there yet";
  }
  assert.equal(resumed.code, 0, resumed.stderr + resumed.stdout);
  assert.match(resumed.stdout, /"result":"carried on"/);

  const events = await project.journal(id);
  const started = events.filter((event) => event.type === "run.started");
  assert.ok(started.length === 1 || started.length === 2, "the prompt that died may not have been stored");
  const closed = events.filter((event) => event.type === "run.interrupted" || event.type === "run.finished");
  assert.equal(closed.length, started.length, "every run is closed");
  assert.equal(closed.at(-1)?.type, "run.finished");
  checkCalls(events);
  const after = await effects(project);
  assert.deepEqual(after, effects_before, "carrying on ran nothing again");
  assert.deepEqual(after, [...new Set(after)], "no effect twice");
  const intents = events.filter((event) => event.type === "tool.started").length;
  assert.ok(after.length <= intents, `${after.length} effects of ${intents} intents`);
  const known = events.filter((event) => event.type === "tool.finished").length;
  assert.ok(after.length >= known, `${after.length} effects of ${known} recorded outcomes`);
  return closed[0]?.type === "run.interrupted"
    ? `interrupted after ${known} of ${ROUNDS} calls`
    : "had finished";
}

/** Every call has one outcome, and an intent where it ran; one that had begun is marked as unknown. */
function checkCalls(events: readonly StoredEvent[]): void {
  const asked = events.filter((event) => event.type === "model.answered").flatMap((event) =>
    payload(event)["message"].content.filter((block: { type: string }) => block.type === "tool_use")
  );
  for (const { call_id } of asked) {
    const of = events.filter((event) => payload(event)["call_id"] === call_id);
    const outcomes = of.filter((event) => /^tool\.(finished|interrupted)$/.test(event.type));
    assert.equal(outcomes.length, 1, `one outcome of ${call_id}`);
    const intents = of.filter((event) => event.type === "tool.started");
    assert.ok(intents.length <= 1, "never started twice");
    if (outcomes[0]?.type === "tool.interrupted") {
      assert.equal(payload(outcomes[0])["unknown_outcome"], intents.length === 1);
    } else assert.equal(intents.length, 1);
  }
}

async function effects(project: AgentProject): Promise<string[]> {
  const file = project.dir.join("effects");
  return existsSync(file) ? (await Deno.readTextFile(file)).split("\n").filter((line) => line !== "") : [];
}

/** Resolves when the run has come to a moment, or has ended. */
async function reached(
  { kind, n }: Moment,
  project: AgentProject,
  lines: AsyncIterable<string>,
  finished: Promise<unknown>,
): Promise<void> {
  if (kind === "start") return;
  const there = kind === "request" ? project.provider.waitForRequest(n) : (async () => {
    let seen = 0;
    for await (const _ of lines) if (++seen === n) return;
  })();
  there.catch(() => {}); // the provider is closed when the run ended first
  await Promise.race([there, finished]);
}

Deno.test({
  name:
    `kill -9 at ${KILLS} random moments: the session opens, shows what was interrupted, goes on, and no tool ran twice`,
  async fn() {
    const seed = Number(Deno.env.get("LUMINA_TEST_SEED") ?? Math.floor(Math.random() * 2 ** 32));
    // deno-lint-ignore no-console -- the seed draws the same moments again
    console.log(`LUMINA_TEST_SEED=${seed}`);
    const draw = draws(seed);
    const moments = Array.from({ length: KILLS }, (_, at): Moment => {
      // the whole run is covered whatever is drawn: its start, each request, each line of its output
      const kind = at % 6 === 0 ? "start" : at % 2 === 0 ? "request" : "line";
      const n = kind === "request" ? 1 + at % (ROUNDS + 1) : 1 + Math.floor(draw() * (2 * ROUNDS + 1));
      return { kind, n, delay_ms: Math.floor(draw() * (kind === "start" ? 500 : 40)) };
    });
    const told: Record<string, number> = {};
    let next = 0;
    const lane = async () => {
      for (let at = next++; at < moments.length; at = next++) {
        const moment = moments[at] as Moment;
        try {
          const outcome = await killAt(moment, at % 3 === 0 ? "openai_compatible" : "anthropic");
          told[outcome] = (told[outcome] ?? 0) + 1;
        } catch (error) {
          throw new Error(`killed at ${JSON.stringify(moment)} (LUMINA_TEST_SEED=${seed})`, { cause: error });
        }
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    // deno-lint-ignore no-console -- where the kills struck
    console.log(told);
    const interrupted = Object.entries(told).filter(([outcome]) => outcome.startsWith("interrupted"));
    assert.ok(interrupted.length >= 3, "the moments are spread over the run");
  },
});
