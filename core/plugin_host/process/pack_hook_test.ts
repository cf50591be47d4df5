import assert from "node:assert/strict";
import type { ToolOutcome } from "../../plugin_api/mod.ts";
import { testPack } from "./process_tier_testing.ts";
import type { TestPack } from "./process_tier_testing.ts";

const SOURCE = `
export const guard = ({ tool_input }, { cwd, config, services, write }) =>
  tool_input.command.includes("push")
    ? { decision: "block", reason: "no push from " + cwd + " " + typeof services.fs.read + " " + typeof write }
    : undefined;
export async function asks(_input, { services }) {
  return { systemMessage: (await services.config.get()).grant };
}
export const text = () => "text";
export const list = () => [1];
export const throws = async () => { throw new Error("no luck"); };
export const cyclic = () => { const a = {}; a.a = a; return a; };
export const ends = () => Deno.exit(3);
export const sleeps = (_input, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
export const spins = () => { while (true); };
`;
const NAMES = ["guard", "asks", "text", "list", "throws", "cyclic", "ends", "sleeps", "spins"];
const HOOKS = { PreToolUse: NAMES.map((handler) => ({ handler })) };
const INPUT = { tool_input: { command: "git push" } };

const call = (pack: TestPack, hook: string, more: Parameters<TestPack["call"]>[1] = {}) =>
  pack.call("", { hook, capabilities: [], input: INPUT, ...more });

Deno.test("a hook of a pack answers with an object or nothing; anything else is an error that names it", async () => {
  await using pack = await testPack(SOURCE, {
    hooks: HOOKS,
    services: ({ grant }) => Promise.resolve({ grant: JSON.stringify(grant) }),
    capabilities: { other: ["model", "ask"] },
  });
  assert.deepEqual(await call(pack, "guard"), {
    content: "",
    data: { decision: "block", reason: "no push from / function undefined" },
  });
  assert.deepEqual(await call(pack, "guard", { input: { tool_input: { command: "ls" } } }), { content: "" });
  // of what its pack has it uses what it names
  assert.deepEqual((await call(pack, "asks")).data, { systemMessage: "[]" });
  assert.deepEqual((await call(pack, "asks", { capabilities: ["ask"] })).data, { systemMessage: '["ask"]' });
  const wrong: [hook: string, says: RegExp][] = [
    ["text", /^its hook text answered with a string, and must answer with an object or nothing$/],
    ["list", /^its hook list answered with an array/],
    ["throws", /^no luck$/],
    ["cyclic", /no JSON/],
    ["absent", /has no hook "absent"/],
  ];
  for (const [hook, says] of wrong) {
    const outcome: ToolOutcome = await call(pack, hook);
    assert.equal(outcome.is_error, true);
    assert.match(outcome.content, says);
  }
  assert.deepEqual(pack.crashes, [], "none of that ends the process");
});

Deno.test("a hook that hangs, spins or ends its process is bounded and named; the pack goes on", async () => {
  await using pack = await testPack(SOURCE, { hooks: HOOKS });
  const late = await call(pack, "sleeps", { timeout_ms: 200 });
  assert.deepEqual(late, {
    content: 'Pack "sample": its hook sleeps did not end within 0.2 s',
    is_error: true,
  });
  const failed = async (hook: string) => {
    try {
      await call(pack, hook, { timeout_ms: 1_000 });
    } catch (error) {
      return String(error);
    }
    throw new Error(`${hook} answered`);
  };
  assert.match(await failed("spins"), /Pack "sample": its hook spins did not end within 1 s/);
  assert.match(await failed("ends"), /Pack "sample": it has broken: it called Deno\.exit/);
  assert.equal((await call(pack, "guard")).data?.["decision"], "block");
});

Deno.test("a hook does not wait longer than it may run for a pack that is started again later", async () => {
  await using pack = await testPack(SOURCE, { hooks: HOOKS, back_off_ms: [0, 60_000] });
  for (const _ of [1, 2]) await assert.rejects(call(pack, "ends"));
  await assert.rejects(call(pack, "guard"), /Pack "sample": it has failed and is tried again in 60 s/);
});

Deno.test("a handler that is no export is found when the pack is loaded", async () => {
  await using pack = await testPack("export default {}", { hooks: { Stop: [{ handler: "gone" }] } });
  const { code, message } = await pack.failure("", { hook: "gone" });
  assert.equal(code, "plugin.load");
  assert.match(message, /does not export the function gone, which the manifest names as a hook/);
});

Deno.test("hooks are not counted as calls of the run: no quota of tools takes a guard away", async () => {
  await using pack = await testPack(SOURCE, { hooks: HOOKS, own_limits: { calls_per_run: 2 } });
  for (let time = 0; time < 5; time++) {
    assert.equal((await call(pack, "guard")).data?.["decision"], "block");
  }
  assert.deepEqual(pack.trips, []);
});
