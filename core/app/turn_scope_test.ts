import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readCatalog } from "../plugin_host/mod.ts";
import type { JsonObject } from "../types/mod.ts";
import { TurnScope } from "./turn_scope.ts";

const catalog = readCatalog(fileURLToPath(new URL("../../plugins", import.meta.url)));

async function inScope(
  test: (scope: TurnScope, judged: (tool: string, input: JsonObject) => Promise<string>) => Promise<void>,
) {
  const workspace = await Deno.realPath(await Deno.makeTempDir());
  try {
    const scope = new TurnScope({
      workspace,
      home: join(workspace, "home"),
      path: "/usr/bin:/bin",
      shell: { cwd: workspace },
    });
    const gate = scope.watchGate({
      judge: () =>
        Promise.resolve(
          { behavior: "allow", reason: "all", source: "mode", paths: [], suggestions: [] } as const,
        ),
    });
    await test(scope, async (name, input) => {
      const tool = catalog.find(name);
      assert(tool !== undefined, name);
      const { behavior, reason } = await gate.judge(tool, input);
      return behavior === "deny" ? reason : behavior;
    });
  } finally {
    await Deno.remove(workspace, { recursive: true });
  }
}

Deno.test("a run without limits is left as it is", () =>
  inScope(async (_scope, judged) => {
    assert.equal(await judged("Write", { file_path: "a", content: "" }), "allow");
  }));

Deno.test("a list of tools leaves these alone, by name, command, path and family", () =>
  inScope(async (scope, judged) => {
    scope.add({ allowed_tools: ["Read", "Bash(git *)", "Bash(npm run:*)", "Edit(src/**)"] }, 'The skill "x"');
    assert.equal(await judged("Read", { file_path: "anything" }), "allow");
    assert.equal(await judged("read_file", { file_path: "anything" }), "allow");
    assert.equal(await judged("Bash", { command: "git commit -m x" }), "allow");
    assert.equal(await judged("Bash", { command: "npm run build" }), "allow");
    assert.equal(await judged("Edit", { file_path: "src/a.ts", old_string: "a", new_string: "b" }), "allow");
    assert.equal(await judged("Write", { file_path: "src/a.ts", content: "" }), "allow");
    assert.equal(await judged("Bash", { command: "git commit -m x > log.txt" }), "allow");
    const refused = 'The skill "x" leaves this run only Read, Bash(git *), Bash(npm run:*), Edit(src/**)';
    assert.equal(await judged("Write", { file_path: "other.ts", content: "" }), refused);
    assert.equal(await judged("Bash", { command: "git commit -m x && rm -rf y" }), refused);
    assert.equal(await judged("Bash", { command: 'git commit -m "$(touch y)"' }), refused);
    // a rule on reading is one on searching as well
    assert.equal(await judged("Grep", { pattern: "x" }), "allow");
  }));

Deno.test("reading leaves no editing, and what cannot be read leaves nothing", () =>
  inScope(async (scope, judged) => {
    scope.add({ allowed_tools: ["Read(src/**)", "Bash(git"] }, "It");
    assert.equal(await judged("Read", { file_path: "src/a.ts" }), "allow");
    assert.match(await judged("Read", { file_path: "b.ts" }), /^It leaves/);
    assert.match(
      await judged("Edit", { file_path: "src/a.ts", old_string: "a", new_string: "b" }),
      /^It leaves/,
    );
    assert.match(await judged("Bash", { command: "git status" }), /^It leaves/);
  }));

Deno.test("two lists leave what both leave; a new run begins without them", () =>
  inScope(async (scope, judged) => {
    const edit = { file_path: "a", old_string: "a", new_string: "b" };
    scope.begin({ allowed_tools: ["Read", "Bash(git *)"] });
    scope.add({ allowed_tools: ["Read", "Edit"] }, "It");
    assert.equal(await judged("Read", { file_path: "a" }), "allow");
    assert.match(await judged("Bash", { command: "git add a" }), /^It leaves/);
    assert.match(await judged("Edit", edit), /^This command leaves/);
    scope.begin();
    assert.equal(await judged("Edit", edit), "allow");
  }));

Deno.test("rules that allow are a part of the layer of what was decided meanwhile, and end with the run", () =>
  inScope(async (scope) => {
    const layer = { source: { origin: "session", base_dir: "/w" }, allow: ["Read"] } as const;
    assert.equal(scope.withAllowed(layer), layer);
    const before = scope.version;
    scope.add({ allow: ["Bash(git add *)"], effort: "high" }, "It");
    assert.deepEqual(scope.withAllowed(layer).allow, ["Read", "Bash(git add *)"]);
    assert.notEqual(scope.version, before);
    assert.equal(scope.effort, "high");
    const during = scope.version;
    scope.begin();
    assert.notEqual(scope.version, during);
    assert.equal(scope.withAllowed(layer), layer);
    assert.equal(scope.effort, undefined);
    await Promise.resolve();
  }));
