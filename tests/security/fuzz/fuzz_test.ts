// deno-lint-ignore-file no-console -- the figures of a run are to be read
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { onlyWhere } from "../../support/skip.ts";
import { BASH, inPlace } from "../permission_support.ts";
import { createJudge } from "../../../core/permission/mod.ts";
import { fillPlace } from "./fuzz_workspace.ts";
import { knownLines } from "./known_lines.ts";
import { missing } from "./oracle/missing.ts";
import { fuzz } from "./run_fuzz.ts";

const SEED = Number(Deno.env.get("LUMINA_FUZZ_SEED") ?? 20261130);
const DECIDED = 100_000;
const EXECUTED = 5_000;

const why = missing();

Deno.test({
  ...onlyWhere(
    "no generated line that is called read-only writes, connects, signals, starts a foreign program or reads a secret",
    why === undefined,
    why ?? "",
  ),
  async fn() {
    await inPlace(async (place) => {
      await fillPlace(place);
      const start = performance.now();
      const result = await fuzz({
        place,
        seed: SEED,
        decided: DECIDED,
        executed: EXECUTED,
        known: await knownLines(),
      });
      const { false_allows, ...figures } = result;
      console.log(JSON.stringify({ ...figures, seconds: Math.round((performance.now() - start) / 1000) }));
      assert.deepEqual(false_allows, []);
      assert.ok(result.decided >= DECIDED && result.executed >= EXECUTED, JSON.stringify(figures));
      assert.ok(result.allowed >= DECIDED / 10, "enough of the lines read");
    });
  },
});

Deno.test("lines that the fuzzer once found are not called read-only any more", async () => {
  const rows = (await readFile(new URL("found.jsonl", import.meta.url), "utf8")).trim().split("\n");
  await inPlace(async (place) => {
    await fillPlace(place);
    const policy = place.policy({ mode: "plan", folds_case: false });
    const { judge } = createJudge();
    for (const row of rows) {
      const { line, why } = JSON.parse(row) as { line: string; why: string };
      const { behavior } = await judge({ tool: BASH, input: { command: line } }, policy);
      assert.notEqual(behavior, "allow", `${line}: ${why}`);
    }
  });
});
