import assert from "node:assert/strict";
import { emptyGrant } from "../../../core/plugin_api/mod.ts";
import type { Grant } from "../../../core/plugin_api/mod.ts";
import { testPack } from "../../../core/plugin_host/process/process_tier_testing.ts";
import type { TestPack } from "../../../core/plugin_host/process/process_tier_testing.ts";
import { compiledProgram } from "../../support/compiled_program.ts";
import { findDenort } from "../../support/denort.ts";
import { onlyWhere } from "../../support/skip.ts";
import type { Attempt, EscapeInput, Observed, Place } from "./attempt.ts";
import { CODE_ATTEMPTS } from "./code_attempts.ts";
import { addRows, judge, showTable } from "./escape_table.ts";
import { FILE_ATTEMPTS, LINK_ATTEMPTS } from "./file_attempts.ts";
import { NETWORK_ATTEMPTS } from "./network_attempts.ts";
import { openOutside } from "./outside.ts";
import { PROCESS_ATTEMPTS } from "./process_attempts.ts";
import { attemptsModule } from "./run_attempts.ts";

const denort = await findDenort();
const linux = Deno.build.os === "linux";
const QUIET: Attempt[] = [
  ...FILE_ATTEMPTS,
  ...LINK_ATTEMPTS,
  ...NETWORK_ATTEMPTS,
  ...PROCESS_ATTEMPTS,
  ...CODE_ATTEMPTS,
];

/** What a pack's process is: this Deno with the sources, or the compiled file. */
const FORMS: { place: Place; skip?: string; program?: () => Promise<string> }[] = [
  { place: "process" },
  "skip" in denort
    ? { place: "process compiled", skip: denort.skip }
    : { place: "process compiled", program: () => compiledProgram(denort.env) },
];

for (const { place, skip, program } of FORMS) {
  const test = (claim: string) =>
    onlyWhere(`${place}: ${claim}`, skip === undefined && linux, skip ?? "needs Linux");
  const options = async () =>
    program === undefined ? {} : { command: { program: await program(), args: ["__plugin"] } };

  Deno.test(test("a pack that was granted nothing reaches nothing"), async () => {
    await using outside = await openOutside();
    await using pack = await testPack(attemptsModule(QUIET), await options());
    const { outcome, said } = await escape(pack, outside.input, {});
    const rows = judge(`${place}, no grant`, place, QUIET, outcome, outside.input.canary);
    assert.deepEqual(addRows(rows), []);
    assert.deepEqual(await outside.changes(), []);
    assert.ok(!said.includes(outside.input.canary));
  });
}

/** Makes every attempt of a pack; what it was heard to say besides is given too. */
async function escape(
  pack: TestPack,
  input: EscapeInput,
  grant: Partial<Grant>,
): Promise<{ outcome: Observed[]; said: string }> {
  const said: string[] = [];
  const { content } = await pack.call("escape", {
    input: { ...input },
    grant: { ...emptyGrant(), ...grant },
    timeout_ms: 60_000,
    progress: (text) => said.push(text),
  });
  return { outcome: JSON.parse(content) as Observed[], said: said.join("") };
}

Deno.test("the table of all attempts", showTable);
