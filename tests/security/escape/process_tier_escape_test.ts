import assert from "node:assert/strict";
import { emptyGrant } from "../../../core/plugin_api/mod.ts";
import type { Grant } from "../../../core/plugin_api/mod.ts";
import { linkFreeParts } from "../../../core/plugin_host/packs/mod.ts";
import type { ProcessTierOptions } from "../../../core/plugin_host/process/mod.ts";
import { testPack } from "../../../core/plugin_host/process/process_tier_testing.ts";
import type { TestPack } from "../../../core/plugin_host/process/process_tier_testing.ts";
import { runtimeFault } from "../../../core/plugin_host/process/runtime_fault.ts";
import { compiledProgram } from "../../support/compiled_program.ts";
import { findDenort } from "../../support/denort.ts";
import { onlyWhere } from "../../support/skip.ts";
import type { EscapeInput, Observed, Place } from "./attempt.ts";
import { ENDINGS, forge } from "./ending_attempts.ts";
import type { Ending } from "./ending_attempts.ts";
import { addRows, judge, showTable } from "./escape_table.ts";
import type { Row } from "./escape_table.ts";
import { LINK_ATTEMPTS } from "./file_attempts.ts";
import { BEYOND_GRANT, GRANTED } from "./granted_attempts.ts";
import { openOutside } from "./outside.ts";
import { QUIET } from "./quiet_attempts.ts";
import { attemptsModule } from "./run_attempts.ts";

const denort = await findDenort();
const fault = await runtimeFault();
const linux = Deno.build.os === "linux";

/** What a pack's process is: this Deno with the sources, or the compiled file. */
const FORMS: { place: Place; skip?: string; program?: () => Promise<string> }[] = [
  { place: "process", ...(fault === undefined ? {} : { skip: fault }) },
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

  Deno.test(test("a pack with a small grant gets what it was granted and nothing beyond"), async () => {
    await using outside = await openOutside();
    const { input } = outside;
    const attempts = [...GRANTED, ...BEYOND_GRANT, ...LINK_ATTEMPTS];
    {
      await using pack = await testPack(attemptsModule(attempts), await options());
      const grant = {
        read: linkFreeParts(input.workspace), // as `packGrant` does
        net: [`127.0.0.1:${input.allowed}`],
        run: [input.program],
        env: [input.env_name],
      };
      const { outcome, said } = await escape(pack, input, grant);
      const values = outcome.slice(0, GRANTED.length).map(({ value }) => value);
      assert.deepEqual(values, ["own words", "allowed answer", "0"]);
      const rows = judge(`${place}, small grant`, place, attempts, outcome, input.canary);
      assert.deepEqual(addRows(rows), []);
      assert.ok(!said.includes(input.canary));
    } // what it has started ends with it
    assert.deepEqual(await outside.changes(), []);
  });

  Deno.test(test("a pack that ends, forges or eats everything harms itself alone"), async () => {
    await using outside = await openOutside();
    const tools = Object.fromEntries(ENDINGS.map(({ run }, at) => [`end_${at}`, body(run)]));
    await using other = await testPack(
      { echo: "return { content: JSON.stringify(input) };" },
      await options(),
    );
    const rows: Row[] = [];
    const attempt = async ({ what, ends, quota }: Ending, at: number): Promise<void> => {
      await using pack = await testPack(tools, { ...await options(), own_limits: { rss_mib: 300 } });
      const observed = await end(pack, `end_${at}`, outside.input, quota === undefined ? 700 : 10_000);
      const problems = [
        ...(ends.includes(observed.end) ? [] : [`it ended by ${observed.end}`]),
        ...(quota === undefined || quota.includes(pack.trips[0]?.quota ?? "")
          ? []
          : [`no record of ${quota.join()}`]),
        // deno-lint-ignore no-control-regex -- controls are what must not be there
        ...(observed.end !== "answer" && /[\x00-\x08\x0a-\x1f\x7f]/.test(observed.text)
          ? ["the host repeats controls or lines"]
          : []),
        ...pack.crashes.flatMap(({ stderr }) =>
          // deno-lint-ignore no-control-regex -- as above
          /[\x00-\x08\x0b-\x1f\x7f]/.test(stderr) ? ["the host keeps controls of standard error"] : []
        ),
      ];
      rows.push({
        where: `${place}, endings`,
        what,
        expected: "contained",
        observed: problems.length === 0 ? "contained" : "escaped",
        detail: problems.join("; ") || observed.text.slice(0, 100),
      });
    };
    const left = [...ENDINGS.entries()];
    const work = async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) await attempt(next[1], next[0]);
    };
    await Promise.all([work(), work(), work()]); // most of the time they wait
    assert.deepEqual(addRows(rows), []);
    assert.equal((await other.call("echo", { input: { still: "here" } })).content, '{"still":"here"}');
    assert.deepEqual(await outside.changes(), []);
  });

  Deno.test(test("messages forged for other calls reach neither them nor another pack"), async () => {
    await using outside = await openOutside();
    const asked: string[] = [];
    const more: ProcessTierOptions = {
      ...await options(),
      services: (pack, call_id, { service, method }) => {
        asked.push(`${pack.id} ${call_id} ${service}.${method}`);
        return Promise.resolve([]);
      },
    };
    const wait = "await new Promise((resolve) => setTimeout(resolve, 300)); return { content: 'own' };";
    await using pack = await testPack({ forge: body(forge), wait }, more);
    await using other = await testPack({ wait }, more);
    const progress: string[] = [];
    const heard = (text: string) => void progress.push(text);
    const [others, granted, own] = await Promise.all([
      other.call("wait", { progress: heard }),
      pack.call("wait", { progress: heard, grant: { ...emptyGrant(), read: [outside.input.workspace] } }),
      end(pack, "forge", outside.input, 10_000),
    ]);
    assert.deepEqual([others, granted], [{ content: "own" }, { content: "own" }]);
    assert.deepEqual(progress, []);
    assert.deepEqual(asked, []);
    assert.deepEqual(own, { end: "answer", text: "own" });
    assert.deepEqual(await outside.changes(), []);
    addRows([{
      where: `${place}, endings`,
      what: "messages of other calls, packs and processes",
      expected: "contained",
      observed: "contained",
      detail: "passed over",
    }]);
  });
}

/** The body of a tool that runs a function's text. */
function body(run: Ending["run"]): string {
  return `const value = await (${run.toString()})(input, context, raw, (message) => self.postMessage(message));
    return typeof value === "object" ? value : { content: String(value) };`;
}

/** How a call ended, and the words that the host has of it. */
async function end(
  pack: TestPack,
  tool: string,
  input: EscapeInput,
  timeout_ms: number,
): Promise<{ end: string; text: string }> {
  try {
    const { content } = await pack.call(tool, { input: { ...input }, timeout_ms });
    return { end: "answer", text: content };
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return { end: code ?? "error", text: message };
  }
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

Deno.test(
  onlyWhere("a pack that was granted too much is seen by every check", linux, "needs Linux"),
  async () => {
    await using outside = await openOutside();
    const { input } = outside;
    const names = [
      "read a file",
      "stat a file",
      "write over a file",
      "connect by TCP",
    ];
    names.push("send a datagram with node:dgram", "a database in memory");
    const attempts = QUIET.filter(({ what }) => names.includes(what));
    assert.equal(attempts.length, names.length);
    await using pack = await testPack(attemptsModule(attempts));
    const grant = {
      read: [input.outside],
      write: [input.outside],
      net: ["127.0.0.1", "0.0.0.0"],
    };
    const { outcome } = await escape(pack, input, grant);
    const rows = judge("too much", "process", attempts, outcome, input.canary);
    const seen = rows.filter(({ observed }) => observed === "escaped").map(({ what }) => what);
    assert.deepEqual(seen.sort(), names.filter((name) => name !== "a database in memory").sort());
    const changes = (await outside.changes()).join("\n");
    for (
      const change of [
        /canary\.txt has changed/,
        /connected to TCP/,
        /datagram/,
      ]
    ) {
      assert.match(changes, change);
    }
  },
);

Deno.test("the table of all attempts", showTable);
