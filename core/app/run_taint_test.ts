import assert from "node:assert/strict";
import type { GatePort, ToolPort, ToolRun } from "../agent/mod.ts";
import type { ToolManifest } from "../plugin_api/mod.ts";
import type { Verdict } from "../types/mod.ts";
import { RunTaint } from "./run_taint.ts";

const verdict = (behavior: Verdict["behavior"], reads_secret?: string): Verdict => ({
  behavior,
  reason: "",
  source: "mode",
  paths: [],
  suggestions: [],
  ...(reads_secret === undefined ? {} : { reads_secret }),
});
const TOOL = { name: "Read" } as ToolManifest;

Deno.test("a run has read a secret once a call that reads one starts, and a new run has not", async () => {
  const taint = new RunTaint();
  const tools = taint.watch({
    tools: [],
    find: () => TOOL,
    check: () => [],
    prepare() {},
    call: () => Promise.resolve({ content: String(taint.read) }),
  } as ToolPort);
  const call = async (given: Verdict) => (await tools.call(TOOL, {}, { verdict: given } as ToolRun)).content;
  assert.equal(await call(verdict("allow")), "undefined");
  assert.equal(await call(verdict("ask", ".env")), ".env", "known before the tool runs");
  assert.equal(await call(verdict("allow", "~/.ssh/id_rsa")), ".env", "the first one is told");
  taint.begin();
  assert.equal(taint.read, undefined);
});

Deno.test("what is judged and allowed without a call counts too, what asks or is refused does not", async () => {
  const taint = new RunTaint();
  let next = verdict("deny", ".env");
  const gate: GatePort = taint.watchGate({ judge: () => Promise.resolve(next) });
  for (const behavior of ["deny", "ask"] as const) {
    next = verdict(behavior, ".env");
    assert.equal(await gate.judge(TOOL, {}), next);
    assert.equal(taint.read, undefined);
  }
  next = verdict("allow", ".env");
  await gate.judge(TOOL, {});
  assert.equal(taint.read, ".env");
});
