import assert from "node:assert/strict";
import type { JsonObject } from "../../types/mod.ts";
import { InputValidator } from "../validate_input.ts";
import { badInputs, sampleInput } from "./sample_input.ts";

const property = (schema: JsonObject): JsonObject => ({
  type: "object",
  properties: { value: schema },
  required: ["value"],
  $defs: { size: { type: "integer", minimum: 3 } },
});

Deno.test("the smallest input fits the schema it was made from", () => {
  const validator = new InputValidator();
  for (
    const schema of [
      { type: "string", minLength: 4 },
      { type: "string", format: "uri" },
      { type: "integer", minimum: 2.5 },
      { type: "number", exclusiveMinimum: 4 },
      { type: "integer", maximum: -3 },
      { type: "integer", minimum: 7, multipleOf: 5 },
      { type: ["boolean", "null"] },
      { enum: ["x", "y"] },
      { const: 12 },
      { type: "array", items: { type: "string" }, minItems: 2 },
      { type: "object", properties: { a: { type: "number" } }, required: ["a"], additionalProperties: false },
      { anyOf: [{ type: "integer" }, { type: "string" }] },
      { $ref: "#/$defs/size" },
      { type: "string", pattern: "^[0-9]{4}$", examples: ["2026"] },
    ] as JsonObject[]
  ) {
    const whole = property(schema);
    assert.deepEqual(validator.check(whole, sampleInput(whole)), [], JSON.stringify(schema));
  }
});

Deno.test("a schema that leaves nothing open refuses every bad input, an open one is told where", () => {
  const accepted = (schema: JsonObject) => {
    const validator = new InputValidator();
    return badInputs(schema, sampleInput(schema))
      .filter(({ input }) => validator.check(schema, input).length === 0).map(({ hint }) => hint);
  };
  const closed = { ...property({ type: "string" }), additionalProperties: false };
  assert.deepEqual(accepted(closed), []);
  assert.deepEqual(accepted(property({})), [
    'an unknown key passes: add "additionalProperties": false',
    'anything passes as "value": give it a type',
  ]);
});
