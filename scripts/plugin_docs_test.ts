import assert from "node:assert/strict";
import { InputValidator } from "../core/plugin_host/mod.ts";
import type { JsonObject } from "../core/types/mod.ts";
import { MANIFEST_DOCS, MANIFEST_SCHEMA, manifestDocs, manifestSchemaText } from "./plugin_docs.ts";

Deno.test("the page and the JSON Schema of the manifest are what scripts/plugin_docs.ts makes of the schema", async () => {
  const hint = "run deno run -A scripts/plugin_docs.ts";
  assert.equal(await Deno.readTextFile(MANIFEST_DOCS), manifestDocs(), hint);
  assert.equal(await Deno.readTextFile(MANIFEST_SCHEMA), manifestSchemaText(), hint);
});

Deno.test("the JSON Schema takes the bundled manifests and refuses an unknown field", async () => {
  const schema: JsonObject = JSON.parse(await Deno.readTextFile(MANIFEST_SCHEMA));
  const validator = new InputValidator();
  for (const id of ["tools_fs", "tools_search", "tools_shell"]) {
    const file = new URL(`../plugins/${id}/manifest.json`, import.meta.url);
    const manifest: JsonObject = JSON.parse(await Deno.readTextFile(file));
    assert.deepEqual(validator.check(schema, manifest), [], id);
    assert.deepEqual(validator.check(schema, { ...manifest, titel: "x" }), ['unknown key "titel"']);
  }
});
