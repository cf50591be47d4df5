import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { readCatalog } from "./catalog.ts";
import { manifestSchema } from "./manifest_schema.ts";

const PLUGINS = fileURLToPath(new URL("../../plugins", import.meta.url));

Deno.test("every bundled manifest is valid, and a start reads it as the schema does", () => {
  const { plugins } = readCatalog(PLUGINS);
  assert.ok(plugins.length >= 3);
  for (const plugin of plugins) {
    const text = Deno.readTextFileSync(`${PLUGINS}/${plugin.id}/manifest.json`);
    assert.deepEqual(plugin, manifestSchema().parse(JSON.parse(text)));
  }
});

Deno.test("tools are found by name and alias, and listed by name", () => {
  const catalog = readCatalog(PLUGINS);
  assert.equal(catalog.find("read_file"), catalog.find("Read"));
  assert.equal(catalog.find("nothing"), undefined);
  const names = catalog.tools.map((tool) => tool.name);
  assert.deepEqual(names, [...names].sort());
});
