import assert from "node:assert/strict";
import { killLoop } from "../fault/kill_loop.ts";
import { compiledProgram } from "../support/compiled_program.ts";
import { findDenort } from "../support/denort.ts";
import { testWith } from "../support/skip.ts";

const denort = await findDenort();
const ROUNDS = 200;
/** The compiled program starts three times as fast: where there is one it takes the many rounds. */
const DENO_ROUNDS = "skip" in denort ? ROUNDS : 24;

async function rounds(count: number, artifact?: string): Promise<void> {
  const seed = Number(Deno.env.get("LUMINA_TEST_SEED") ?? Math.floor(Math.random() * 2 ** 32));
  // deno-lint-ignore no-console -- the seed draws the same moments again
  console.log(`LUMINA_TEST_SEED=${seed}`);
  const report = await killLoop({ rounds: count, lanes: 2, seed, ...(artifact && { artifact }) });
  // deno-lint-ignore no-console -- where the kills struck
  console.log(report);
  assert.ok(report.kills >= count / 3, "many runs were still going on");
  assert.ok(report.acknowledged > count && report.effects > count / 4, "the runs had got somewhere");
  assert.ok(Object.keys(report.struck).length >= 3, "the moments are spread over the run");
}

Deno.test(
  `kill -9 at ${DENO_ROUNDS} random moments: nothing acknowledged is lost, no effect is there twice, every session goes on`,
  () => rounds(DENO_ROUNDS),
);

testWith(
  `kill -9 at ${ROUNDS} random moments of the compiled program: the same`,
  denort,
  async ({ env }) => await rounds(ROUNDS, await compiledProgram(env)),
);
