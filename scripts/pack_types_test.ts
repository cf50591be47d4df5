import assert from "node:assert/strict";
import { PACK_TYPES, packTypes } from "./pack_types.ts";

Deno.test("the types that authors of packs get are those of core/plugin_api", async () => {
  for (const file of PACK_TYPES) {
    assert.equal(await Deno.readTextFile(file), await packTypes(), "run deno run -A scripts/pack_types.ts");
  }
});

Deno.test("the types of authors need nothing else, and name every word a manifest may use", async () => {
  const types = await packTypes();
  assert.doesNotMatch(types, /^import|typeof|\brequire\b/m);
  for (
    const name of [
      "PluginModule",
      "ToolContext",
      "PluginServices",
      "ToolOutcome",
      "PluginManifest",
      "HookContext",
      "HookOutput",
    ]
  ) {
    assert.match(types, new RegExp(`^export interface ${name} \\{$`, "m"));
  }
  assert.match(types, /^export type CapabilityKind =\n {2}\| "fs\.read"$/m);
});
