import assert from "node:assert/strict";
import { SETTING_NAMES, settingKey } from "./setting_keys.ts";
import { checkValue } from "./setting_value.ts";
import { settingsDocs, settingsJsonSchema } from "./settings_schema.ts";

Deno.test("every setting has a default that its own schema accepts, a description and a line in the docs", () => {
  const docs = settingsDocs();
  for (const name of SETTING_NAMES) {
    const { default: value, description } = settingKey(name);
    if (value !== undefined) assert.deepEqual(checkValue(name, value), { value }, name);
    assert.match(description, /^[A-Z].*\.$/s, name);
    assert.ok(docs.includes(`| \`${name}\` | `), name);
  }
});

Deno.test("settingsDocs() has the same number of cells in each row", () => {
  const rows = settingsDocs().trimEnd().split("\n").map((row) => row.replaceAll("\\|", "").split("|").length);
  assert.equal(new Set(rows).size, 1);
});

Deno.test("settingsJsonSchema() describes each setting as a file holds it", () => {
  const schema = settingsJsonSchema();
  assert.equal(schema.type, "object");
  const properties = schema.properties as Record<string, Record<string, unknown>>;
  assert.deepEqual(Object.keys(properties), SETTING_NAMES);
  assert.ok((properties.api_type?.enum as string[]).includes("claude"));
  assert.equal(properties.max_parent_turns?.type, "integer");
  assert.equal(properties.max_parent_turns?.default, 100);
  assert.ok(!("required" in schema));
});
