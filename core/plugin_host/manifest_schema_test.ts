import assert from "node:assert/strict";
import type { CapabilityRequest } from "../plugin_api/mod.ts";
import { manifestSchema } from "./manifest_schema.ts";
import { capabilityWords } from "./packs/capability_words.ts";

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

Deno.test("a pack may ask for files or the network through the host alone, and the person reads that", () => {
  const capabilities: CapabilityRequest[] = [{ kind: "fs.read", paths: [] }, { kind: "net", hosts: [] }];
  assert.deepEqual(manifestSchema().parse({ ...manifest({}), capabilities }).capabilities, capabilities);
  assert.deepEqual(capabilities.map(capabilityWords), [
    "read files through Lumina: each is judged by your rules",
    "reach the network: each address is asked about",
  ]);
});

Deno.test("what a pack names is told as a list that cannot be read as a name of its first member", () => {
  const words = (request: CapabilityRequest) => capabilityWords(request);
  assert.equal(
    words({ kind: "fs.write", paths: ["data", "/srv/x"] }),
    "change its own folder and /srv/x",
  );
  assert.equal(words({ kind: "env", names: ["EDITOR"] }), "read the environment variable EDITOR");
  assert.equal(words({ kind: "env", names: ["A", "B", "C"] }), "read the environment variables A, B and C");
});
