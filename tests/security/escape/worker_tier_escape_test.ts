import assert from "node:assert/strict";
import { join } from "node:path";
import { runtimeFault } from "../../../core/plugin_host/process/runtime_fault.ts";
import { RUN_FLAGS } from "../../../scripts/run_flags.ts";
import { findDenort } from "../../support/denort.ts";
import { REPO_ROOT } from "../../support/repo_root.ts";
import { onlyWhere } from "../../support/skip.ts";
import { tempDir } from "../../support/temp_dir.ts";
import type { EscapeInput, Observed, Place } from "./attempt.ts";
import { compileWorkerHost } from "./compile_worker_host.ts";
import { addRows, judge, showTable } from "./escape_table.ts";
import type { Row } from "./escape_table.ts";
import { openOutside } from "./outside.ts";
import { QUIET } from "./quiet_attempts.ts";

const denort = await findDenort();
const fault = await runtimeFault();
const linux = Deno.build.os === "linux";

/** A host of its own, so that what a worker is known to be able to do harms nobody else. */
const FORMS: { place: Place; skip?: string; env?: Record<string, string> }[] = [
  { place: "worker", ...(fault === undefined ? {} : { skip: fault }) },
  "skip" in denort
    ? { place: "worker compiled", skip: denort.skip }
    : { place: "worker compiled", env: denort.env },
];

/** What ends, at worst, the worker: the host goes on. */
const HELD = [
  "Deno.exit",
  "process.exit",
  "a result that contains itself",
  "a result a million deep",
  "a loop without end",
  "microtasks without end",
  "a storm of rejections",
  "an error with controls and lines",
];

/** What a worker is known to do to its host, and why only bundled code runs there. */
const KNOWN: [what: string, why: string][] = [
  ["kill itself", "a worker may kill its own process"],
  ["process.abort", "a worker may abort its own process"],
  ["write JSON-RPC to standard output", "standard output is the process's, and so the worker's"],
  ["take the host's messages from standard input", "standard input is the process's, and so the worker's"],
];

for (const { place, skip, env } of FORMS) {
  Deno.test(
    onlyWhere(
      `${place}: a worker without a grant reaches nothing but its own process`,
      skip === undefined && linux,
      skip ?? "needs Linux",
    ),
    async () => {
      await using dir = await tempDir();
      await using outside = await openOutside();
      const { input } = outside;
      const command = env === undefined ? sourceCommand() : [await compileWorkerHost(dir.path, env)];

      const quiet = await runHost(command, input, []);
      const observed = JSON.parse(quiet.lines[0] ?? "[]") as Observed[];
      assert.deepEqual(addRows(judge(`${place}, no grant`, place, QUIET, observed, input.canary)), []);

      const held = await runHost(command, input, HELD);
      assert.equal(held.code, 0);
      const ends = held.lines.map((line) => JSON.parse(line) as { what: string; end: string });
      assert.deepEqual(ends.map(({ what }) => what), HELD);
      addRows(ends.map(({ what, end }): Row => ({
        where: `${place}, endings`,
        what,
        expected: "contained",
        observed: "contained",
        detail: end.slice(0, 60),
      })));

      await Promise.all(KNOWN.map(async ([what, why]) => {
        const { code, lines } = await runHost(command, input, [what]);
        const done = code !== 0 || lines.some((line) => line.includes(input.canary));
        addRows([{
          where: `${place}, endings`,
          what,
          expected: "known",
          observed: done ? "known" : "contained",
          detail: done ? why : "not in this version",
        }]);
      }));
      assert.deepEqual((await outside.changes()).filter((change) => !/SIG|channel/.test(change)), []);
    },
  );
}

Deno.test("the table of all attempts in the worker tier", showTable);

function sourceCommand(): string[] {
  const script = join(REPO_ROOT, "tests/security/escape/worker_host.ts");
  const config = ["--config", join(REPO_ROOT, "deno.json")];
  return [Deno.execPath(), "run", "--quiet", "--no-check", ...config, ...RUN_FLAGS, script];
}

/** Runs a host to its end; its standard input holds a secret. */
async function runHost(
  [program = "", ...args]: string[],
  input: EscapeInput,
  endings: readonly string[],
): Promise<{ code: number; lines: string[] }> {
  const host = new Deno.Command(program, {
    args: [...args, JSON.stringify(input), ...endings],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = host.stdin.getWriter();
  await writer.write(new TextEncoder().encode(`${input.canary}-input\n`)).catch(() => {}); // it has ended already
  const { code, stdout } = await host.output();
  await writer.close().catch(() => {}); // as above
  const lines = new TextDecoder().decode(stdout).split("\n").filter((line) => line !== "");
  return { code, lines };
}
