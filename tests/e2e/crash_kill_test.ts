import assert from "node:assert/strict";
import { killLoop } from "../fault/kill_loop.ts";

const ROUNDS = 200;

Deno.test(`kill -9 at ${ROUNDS} random moments: nothing acknowledged is lost, no effect is there twice, every session goes on`, async () => {
  const seed = Number(Deno.env.get("LUMINA_TEST_SEED") ?? Math.floor(Math.random() * 2 ** 32));
  // deno-lint-ignore no-console -- the seed draws the same moments again
  console.log(`LUMINA_TEST_SEED=${seed}`);
  const report = await killLoop({ rounds: ROUNDS, lanes: 2, seed });
  // deno-lint-ignore no-console -- where the kills struck
  console.log(report);
  assert.ok(report.kills >= ROUNDS / 2, "most runs were still going on");
  assert.ok(report.acknowledged > ROUNDS && report.effects > ROUNDS / 4, "the runs had got somewhere");
  assert.ok(Object.keys(report.struck).length >= 4, "the moments are spread over the run");
});
