import assert from "node:assert/strict";
import { LuminaError } from "../../base/mod.ts";
import { CrashRecord } from "./crash_record.ts";

const fault = new LuminaError("plugin.crashed", 'Pack "x": gone');
const never = new AbortController().signal;

Deno.test("the first fault costs no wait, later ones more, and the one after the last wait disables", async () => {
  const record = new CrashRecord("x", [0, 30]);
  record.add(fault, false);
  await record.wait(never);
  record.add(fault, false);
  const from = performance.now();
  await record.wait(never);
  assert.ok(performance.now() - from >= 25);
  record.assertUsable();
  record.add(fault, false);
  assert.throws(() => record.assertUsable(), {
    code: "plugin.disabled",
    message: 'Pack "x" is disabled for this session: it has failed 3 times, at last so: gone',
  });
});

Deno.test("a final fault disables at once, and a wait ends with the call", async () => {
  const final = new CrashRecord("x");
  final.add(fault, true);
  assert.throws(() => final.assertUsable(), { message: 'Pack "x" is disabled for this session: gone' });
  const waiting = new CrashRecord("x", [60_000]);
  waiting.add(fault, false);
  const abort = new AbortController();
  const wait = waiting.wait(abort.signal);
  abort.abort(new Error("enough"));
  await assert.rejects(wait, /enough/);
});
