import assert from "node:assert/strict";
import type { JsonObject } from "../types/mod.ts";
import { schemaFault } from "./schema_fault.ts";
import { InputValidator } from "./validate_input.ts";

const withProperty = (schema: unknown): JsonObject =>
  ({ type: "object", properties: { a: schema } }) as JsonObject;

const FAULTS: [schema: JsonObject, says: RegExp][] = [
  [withProperty({ type: "string", pattern: "(" }), /^properties\.a\.pattern is no regular expression: /],
  [withProperty({ type: "text" }), /^properties\.a\.type must be of null, boolean, .*, and is "text"$/],
  [withProperty({ type: [] }), /^properties\.a\.type must be of /],
  [withProperty("string"), /^properties\.a must be a schema: an object, true or false$/],
  [withProperty({ anyOf: [] }), /^properties\.a\.anyOf must be a list of schemas$/],
  [withProperty({ items: [{ type: "string" }] }), /^properties\.a\.items must be a schema/],
  [withProperty({ required: "b" }), /^properties\.a\.required must be a list of names$/],
  [withProperty({ enum: { b: 1 } }), /^properties\.a\.enum must be a list of values$/],
  [withProperty({ minimum: "1" }), /^properties\.a\.minimum must be a number$/],
  [withProperty({ multipleOf: 0 }), /^properties\.a\.multipleOf must be a number above 0$/],
  [withProperty({ maxLength: -1 }), /^properties\.a\.maxLength must be a whole number, 0 or more$/],
  [withProperty({ $ref: "#/$defs/none" }), /^has a \$ref to "#\/\$defs\/none", and there is no such schema/],
  [withProperty({ $ref: "https://example.test/x" }), /^has a \$ref to "https:\/\/example\.test\/x"/],
  [{ type: "object", patternProperties: { "[": true } }, /^patternProperties\.\[ is no regular expression/],
  [{ type: "object", $ref: "#" }, /^cannot be used: Maximum call stack/],
];

Deno.test("schemaFault() gives the place of what the validator could not use", () => {
  for (const [schema, says] of FAULTS) assert.match(schemaFault(schema) ?? "none", says);
});

Deno.test("schemaFault() takes what can be used, and leaves the schema as it was", () => {
  const tree: JsonObject = {
    type: "object",
    $defs: { node: { type: ["object", "null"], properties: { next: { $ref: "#/$defs/node" } } } },
    properties: {
      node: { $ref: "#/$defs/node" },
      named: {
        $anchor: "here",
        enum: ["a", 1, null],
        examples: [{ type: "text" }],
        default: { pattern: "(" },
      },
      other: { $ref: "#here" },
      pair: { type: "array", prefixItems: [{ type: "string" }, true], items: false, minItems: 2 },
      when: { if: { const: 1 }, then: { minimum: 1 }, "x-own": "(" },
    },
    patternProperties: { "^x\\p{L}": { type: "string", format: "date" } },
    required: ["node"],
    additionalProperties: false,
  };
  const before = JSON.stringify(tree);
  assert.equal(schemaFault(tree), undefined);
  assert.equal(JSON.stringify(tree), before);
  assert.deepEqual(new InputValidator().check(tree, { node: { next: null } }), []);
});
