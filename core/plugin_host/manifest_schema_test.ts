import assert from "node:assert/strict";
import { manifestSchema } from "./manifest_schema.ts";

const manifest = (tool: Record<string, unknown>) => ({
  id: "sample",
  version: "1.0.0",
  api: 1,
  title: "Sample",
  kinds: ["tools"],
  contributes: {
    tools: [{
      name: "Look",
      description: "Looks",
      input_schema: { type: "object" },
      effect: "read",
      ...tool,
    }],
  },
});

Deno.test("a tool starts no program unless its manifest names it, and a name is never a path", () => {
  assert.deepEqual(manifestSchema().parse(manifest({})).contributes.tools[0]?.programs, []);
  const programs = ["rg", "clang-format", "python3"];
  assert.deepEqual(manifestSchema().parse(manifest({ programs })).contributes.tools[0]?.programs, programs);
  for (const name of ["/bin/rg", "../rg", "./rg", "", "-rf"]) {
    assert.ok(!manifestSchema().safeParse(manifest({ programs: [name] })).success, name);
  }
});
