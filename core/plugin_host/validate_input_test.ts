import assert from "node:assert/strict";
import type { JsonObject } from "../types/mod.ts";
import { compileAnswerSchema } from "./answer_schema.ts";
import { InputValidator } from "./validate_input.ts";

const schema = {
  type: "object",
  properties: {
    path: { type: "string" },
    limit: { type: "integer" },
    all: { type: "boolean" },
    mode: { type: "string", enum: ["a", "b"] },
    edits: {
      type: "array",
      items: { type: "object", properties: { old: { type: "string" } }, required: ["old"] },
    },
  },
  required: ["path"],
  additionalProperties: false,
};

Deno.test("check() names the missing, the unknown and the wrong key", () => {
  const validator = new InputValidator();
  assert.deepEqual(validator.check(schema, { path: "x" }), []);
  assert.deepEqual(validator.check(schema, {}), ['Instance does not have required property "path"']);
  assert.deepEqual(validator.check(schema, { path: "x", file: 1 }), ['unknown key "file"']);
  assert.deepEqual(validator.check(schema, { path: "x", mode: "c" }), [
    'mode: Instance does not match any of ["a","b"]',
  ]);
  assert.deepEqual(validator.check(schema, { path: "x", edits: [{}] }), [
    'edits.0: Instance does not have required property "old"',
  ]);
});

Deno.test("check() converts quoted numbers and booleans, and never null or anything to text", () => {
  const validator = new InputValidator();
  const input = { path: "x", limit: "10", all: "true" };
  assert.deepEqual(validator.check(schema, input), []);
  assert.deepEqual(input, { path: "x", limit: 10, all: true } as unknown);
  const wrong = (input: Parameters<InputValidator["check"]>[1]) => validator.check(schema, input)[0] ?? "";
  assert.match(wrong({ path: null }), /^path: .*"null".*"string"/);
  assert.match(wrong({ path: 5 }), /^path: .*"string"/);
  assert.match(wrong({ path: "x", limit: "ten" }), /^limit: .*"integer"/);
});

Deno.test("compileAnswerSchema() refuses what is not a JSON Schema and ignores format", async () => {
  await assert.rejects(compileAnswerSchema({ type: "nonsense" }), { code: "schema.invalid", exit: 2 });
  const check = await compileAnswerSchema({ type: "string", format: "email" });
  assert.deepEqual(check("not an address"), []);
  assert.deepEqual(check(1), ["must be string"]);
});

Deno.test("check() tells of a schema that cannot be used, on one line, and never throws", () => {
  const property = (text: JsonObject): JsonObject => ({ type: "object", properties: { text } });
  for (const part of [{ type: "string", pattern: "(" }, { $ref: "https://schema.test/none" }]) {
    const problems = new InputValidator().check(property(part), { text: "x" });
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? "", /^the schema cannot be used: [^\n]+$/);
  }
});
