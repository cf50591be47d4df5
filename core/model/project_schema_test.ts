import assert from "node:assert/strict";
import type { JsonObject } from "../types/mod.ts";
import { projectSchema } from "./project_schema.ts";

Deno.test("a schema without references is passed as it is, with its alternatives and null", () => {
  const schema: JsonObject = {
    type: "object",
    properties: {
      a: { anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }, { type: "null" }] },
      b: { type: ["string", "null"] },
    },
  };
  assert.equal(projectSchema(schema), schema);
});

Deno.test("references are put in their places, inside alternatives and through anchors too", () => {
  const schema: JsonObject = {
    type: "object",
    $defs: {
      point: { type: "object", properties: { x: { $ref: "#/$defs/size" } } },
      size: { $anchor: "size", type: "integer", minimum: 0 },
    },
    properties: {
      at: { anyOf: [{ $ref: "#/$defs/point", description: "where" }, { type: "null" }] },
      by: { $ref: "#size" },
    },
  };
  assert.deepEqual(projectSchema(schema), {
    type: "object",
    properties: {
      at: {
        anyOf: [
          { type: "object", properties: { x: { type: "integer", minimum: 0 } }, description: "where" },
          { type: "null" },
        ],
      },
      by: { type: "integer", minimum: 0 },
    },
  });
});

Deno.test("a reference that leads back becomes an object with a note, of a part and of the whole", () => {
  const schema: JsonObject = {
    type: "object",
    $defs: {
      node: {
        type: "object",
        description: "A node.",
        properties: { next: { $ref: "#/$defs/node" } },
      },
    },
    properties: { first: { $ref: "#/$defs/node" }, whole: { $ref: "#" } },
  };
  assert.deepEqual(projectSchema(schema), {
    type: "object",
    properties: {
      first: {
        type: "object",
        description: "A node.",
        properties: { next: { type: "object", description: "A node. (again #/$defs/node)" } },
      },
      whole: { type: "object", description: "(again #)" },
    },
  });
});

Deno.test("references that multiply are cut: a schema never grows beyond what a request can hold", () => {
  const $defs: JsonObject = { d0: { type: "string" } };
  for (let n = 1; n < 40; n++) {
    const $ref = `#/$defs/d${n - 1}`;
    $defs[`d${n}`] = { type: "object", properties: { a: { $ref }, b: { $ref }, c: { $ref } } };
  }
  const text = JSON.stringify(
    projectSchema({ type: "object", $defs, properties: { all: { $ref: "#/$defs/d39" } } }),
  );
  assert.ok(text.length < 400_000, `${text.length}`);
  assert.ok(!text.includes("$ref"));
});

Deno.test("alternatives of the whole input become one object that asks for what all ask for", () => {
  const schema: JsonObject = {
    type: "object",
    description: "Finds.",
    properties: { deep: { type: "boolean" } },
    oneOf: [
      { properties: { id: { type: "integer" }, by: { type: "string" } }, required: ["by", "id"] },
      { properties: { name: { type: "string" }, by: { type: "string" } }, required: ["by", "name"] },
    ],
  };
  assert.deepEqual(projectSchema(schema), {
    type: "object",
    description: "Finds. Give one of: {id} or {name}.",
    properties: {
      name: { type: "string" },
      by: { type: "string" },
      id: { type: "integer" },
      deep: { type: "boolean" },
    },
    required: ["by"],
  });
});
