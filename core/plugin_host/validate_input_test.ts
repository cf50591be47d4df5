import assert from "node:assert/strict";
import { SchemaValidator } from "./validate_input.ts";

const schema = {
  type: "object",
  properties: {
    path: { type: "string" },
    limit: { type: "integer" },
    all: { type: "boolean" },
    mode: { type: "string", enum: ["a", "b"] },
  },
  required: ["path"],
  additionalProperties: false,
};

Deno.test("checkInput() names the missing, the unknown and the wrong key", async () => {
  const validator = new SchemaValidator();
  assert.deepEqual(await validator.checkInput(schema, { path: "x" }), []);
  assert.deepEqual(await validator.checkInput(schema, {}), ["must have required property 'path'"]);
  assert.deepEqual(await validator.checkInput(schema, { path: "x", file: 1 }), ['unknown key "file"']);
  assert.deepEqual(await validator.checkInput(schema, { path: "x", mode: "c" }), [
    'mode must be one of ["a","b"]',
  ]);
});

Deno.test("checkInput() converts quoted numbers and booleans, and never null or anything to text", async () => {
  const validator = new SchemaValidator();
  const input = { path: "x", limit: "10", all: "true" };
  assert.deepEqual(await validator.checkInput(schema, input), []);
  assert.deepEqual(input, { path: "x", limit: 10, all: true } as unknown);
  assert.deepEqual(await validator.checkInput(schema, { path: null }), ["path must be string"]);
  assert.deepEqual(await validator.checkInput(schema, { path: 5 }), ["path must be string"]);
  assert.deepEqual(await validator.checkInput(schema, { path: "x", limit: "ten" }), [
    "limit must be integer",
  ]);
});

Deno.test("compile() refuses what is not a JSON Schema and ignores format", async () => {
  const validator = new SchemaValidator();
  await assert.rejects(validator.compile({ type: "nonsense" }), { code: "schema.invalid", exit: 2 });
  const check = await validator.compile({ type: "string", format: "email" });
  assert.deepEqual(check("not an address"), []);
  assert.deepEqual(check(1), ["must be string"]);
});
