import assert from "node:assert/strict";
import denoJson from "../deno.json" with { type: "json" };

Deno.test("every task that CONTRIBUTING.md names is one of deno.json", async () => {
  const text = await Deno.readTextFile(new URL("../CONTRIBUTING.md", import.meta.url));
  const rows = [...text.matchAll(/^\| `(\w+)`/gm)];
  const calls = [...text.matchAll(/\bdeno\s+task\s+(\w+)/g)];
  assert.ok(rows.length > 0 && calls.length > 0, "the table and the calls are found");
  const named = new Set([...rows, ...calls].map(([, name]) => name));
  assert.deepEqual([...named].filter((name) => !Object.hasOwn(denoJson.tasks, name ?? "")), []);
});
