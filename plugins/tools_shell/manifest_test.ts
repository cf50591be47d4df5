import assert from "node:assert/strict";
import { MAX_TIMEOUT_MS } from "./bash_input.ts";
import manifest from "./manifest.json" with { type: "json" };
import plugin from "./mod.ts";

Deno.test("the manifest names exactly the plugin's tools and stays small on the wire", () => {
  const { contributes } = manifest;
  assert.deepEqual(contributes.tools.map((tool) => tool.name), Object.keys(plugin.tools));
  const wire = contributes.tools.map(({ name, description, input_schema }) => ({
    name,
    description,
    input_schema,
  }));
  const bytes = new TextEncoder().encode(JSON.stringify(wire)).length;
  assert.ok(bytes <= 2_500, `${bytes} bytes`);
});

Deno.test("the host's limit leaves room for the longest command and its end", () => {
  const bash = manifest.contributes.tools.find((tool) => tool.name === "Bash");
  assert.ok(bash && bash.timeout_ms >= MAX_TIMEOUT_MS + 10_000);
});
