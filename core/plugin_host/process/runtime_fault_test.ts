import assert from "node:assert/strict";
import { runtimeFault } from "./runtime_fault.ts";

/** In a worker without permissions: whether more databases may be attached than none. */
const RAISE = `const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(":memory:");
  let raised = false;
  try { if (database.limits !== undefined) { database.limits.attach = 1; raised = true; } } catch { /* refused */ }
  postMessage(raised);`;

Deno.test("runtimeFault() names a Deno whose workers may attach databases, and no other", async () => {
  const none = { read: false, write: false, net: false, env: false, run: false, sys: false, ffi: false };
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(RAISE)}`, {
    type: "module",
    deno: { permissions: { ...none, import: false } },
  } as WorkerOptions);
  const raised = await new Promise((resolve) => worker.onmessage = ({ data }) => resolve(data));
  worker.terminate();
  const fault = await runtimeFault();
  assert.equal(fault !== undefined, raised);
  if (fault !== undefined) {
    assert.match(fault, /^Deno \S+ lets any code open any database: packs need Deno 2\.9\.6 or newer$/);
  }
});
