import assert from "node:assert/strict";
import { pluginManifest } from "../../core/plugin_host/mod.ts";
import manifest from "./manifest.json" with { type: "json" };
import plugin from "./mod.ts";

Deno.test("the manifest is valid, names the tools of the module, and is small on the wire", () => {
  const { contributes: { tools } } = pluginManifest.parse(manifest);
  assert.deepEqual(tools.map((tool) => tool.name).sort(), Object.keys(plugin.tools).sort());
  const wire = tools.map(({ name, description, input_schema }) => ({ name, description, input_schema }));
  assert.ok(JSON.stringify(wire).length < 5000);
});
