import assert from "node:assert/strict";
import { join } from "node:path";
import type { JsonObject } from "../../core/plugin_api/mod.ts";
import { TestWorkspace } from "./test_workspace.ts";

const inputs = (file_path: string): [string, JsonObject][] => [
  ["Read", { file_path }],
  ["Write", { file_path, content: "x" }],
  ["Edit", { file_path, old_string: "secret", new_string: "x" }],
  ["MultiEdit", { file_path, edits: [{ old_string: "secret", new_string: "x" }] }],
  ["List", { path: file_path }],
];

Deno.test("no tool follows a link out of the workspace: file, folder, dangling or relative", async () => {
  await using ws = await TestWorkspace.open();
  const outside = join(ws.root, "outside");
  await Deno.mkdir(outside);
  await Deno.writeTextFile(join(outside, "a.txt"), "secret");
  await Deno.symlink(outside, ws.path("out"));
  await Deno.symlink("../outside/a.txt", ws.path("file"));
  await Deno.symlink(join(outside, "new.txt"), ws.path("dangling"));
  await Deno.symlink("out", ws.path("hop"));
  const paths = [
    "out/a.txt",
    "file",
    "dangling",
    "hop/a.txt",
    "hop/new/b.txt",
    "../outside/a.txt",
    join(outside, "a.txt"),
    "out",
  ];
  for (const path of paths) {
    for (const [tool, input] of inputs(path)) {
      const outcome = await ws.call(tool, input);
      assert.equal(outcome.is_error, true, `${tool} ${path}`);
      assert.match(outcome.content, /outside of what this call may/);
      assert.equal(outcome.content.includes("secret"), false);
    }
  }
  assert.deepEqual((await Array.fromAsync(Deno.readDir(outside))).map((entry) => entry.name), ["a.txt"]);
  assert.equal(await Deno.readTextFile(join(outside, "a.txt")), "secret");
});

Deno.test("deny rules hold on the resolved path, whatever name led there", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put(".env", "secret");
  await Deno.mkdir(ws.path("private"));
  await ws.put("private/a.txt", "secret");
  await Deno.symlink(".env", ws.path("harmless"));
  await Deno.symlink("private", ws.path("open"));
  ws.context = { deny_read: ["/**/.env", `${ws.cwd}/private`], deny_write: [] };
  for (const path of [".env", "harmless", "private/a.txt", "open/a.txt"]) {
    for (const [tool, input] of inputs(path)) {
      const outcome = await ws.call(tool, input);
      assert.match(outcome.content, /a deny rule covers it/, `${tool} ${path}`);
    }
  }
  ws.context = { deny_write: ["/**/.env"] };
  assert.equal((await ws.call("Read", { file_path: ".env" })).content, "1\tsecret");
  assert.match(
    (await ws.call("Write", { file_path: "harmless", content: "x" })).content,
    /a deny rule covers it/,
  );
  assert.equal(await ws.text(".env"), "secret");
});

Deno.test("nothing is written where nothing may be written", async () => {
  await using ws = await TestWorkspace.open();
  ws.context = { write_roots: [] };
  const outcome = await ws.call("Write", { file_path: "a.txt", content: "x" });
  assert.match(outcome.content, /no folder may be written/);
  assert.deepEqual(await Array.fromAsync(Deno.readDir(ws.cwd)), []);
});
