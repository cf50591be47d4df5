import assert from "node:assert/strict";
import * as z from "zod";
import { description, inputSchema, toolManifests } from "./tool_manifests.ts";

Deno.test("every manifest is what the descriptions and schemas of its tools say", async () => {
  for (const { id, stands, should } of await toolManifests()) {
    assert.deepEqual(stands, should, `plugins/${id}/manifest.json is out of date: run deno task tools`);
  }
});

Deno.test("a description joins its lines and keeps paragraphs and lists", () => {
  assert.equal(description("One\ntwo.\n\nThree:\n- a\n- b\n"), "One two.\n\nThree:\n- a\n- b");
});

Deno.test("a schema has nothing that a model has no use for", () => {
  const schema = z.strictObject({
    path: z.string().default("."),
    depth: z.int().min(1).optional().describe("How deep"),
  });
  assert.deepEqual(inputSchema(schema), {
    type: "object",
    properties: {
      path: { default: ".", type: "string" },
      depth: { description: "How deep", type: "integer", minimum: 1 },
    },
    additionalProperties: false,
  });
});
