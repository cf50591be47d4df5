import assert from "node:assert/strict";
import { manifestSchema } from "../../core/plugin_host/packs/mod.ts";
import manifest from "./manifest.json" with { type: "json" };
import plugin from "./mod.ts";

Deno.test("the manifest is valid, names the tools of the module, and is small on the wire", () => {
  const { contributes: { tools } } = manifestSchema().parse(manifest);
  assert.deepEqual(tools.map((tool) => tool.name).sort(), Object.keys(plugin.tools).sort());
  const wire = tools.map(({ name, description, input_schema }) => ({ name, description, input_schema }));
  assert.ok(JSON.stringify(wire).length < 5000);
});
