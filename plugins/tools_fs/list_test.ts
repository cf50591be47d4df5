import assert from "node:assert/strict";
import { TestWorkspace } from "./test_workspace.ts";

Deno.test("List shows folders, sizes, links and hidden names in order", async () => {
  await using ws = await TestWorkspace.open();
  await Deno.mkdir(ws.path("src"));
  await ws.put("src/b.ts", "12345");
  await ws.put(".hidden", "");
  await ws.put("big", new Uint8Array(1_234_567));
  await Deno.symlink("src", ws.path("link"));
  const outcome = await ws.call("List", {});
  assert.equal(outcome.content, `${ws.cwd} (4 entries)\n.hidden  0 B\nbig  1.2 MB\nlink -> src\nsrc/`);
  const deep = await ws.call("List", { path: ".", depth: 2 });
  assert.match(deep.content, /\nlink -> src\nsrc\/\nsrc\/b\.ts {2}5 B$/);
});

Deno.test("List enters neither .git nor node_modules nor denied folders, and says so", async () => {
  await using ws = await TestWorkspace.open();
  for (const name of [".git", "node_modules", "private", "src"]) {
    await Deno.mkdir(ws.path(name));
    await ws.put(`${name}/x`, "");
  }
  ws.context = { deny_read: [`${ws.cwd}/private`] };
  const { content } = await ws.call("List", { depth: 3 });
  const shown =
    ".git/  (not entered)\nnode_modules/  (not entered)\nprivate/  (not entered)\nsrc/\nsrc/x  0 B";
  assert.equal(content, `${ws.cwd} (5 entries)\n${shown}`);
});

Deno.test("List stops at 1000 entries and counts the rest", async () => {
  await using ws = await TestWorkspace.open();
  for (let count = 0; count < 1010; count++) await ws.put(`f${count}`, "");
  const outcome = await ws.call("List", {});
  assert.match(outcome.content, /\(1010 entries\)[^]*\n\[PARTIAL: 10 more entries/);
});

Deno.test("List of a file, of nothing and of an empty folder says what to do", async () => {
  await using ws = await TestWorkspace.open();
  assert.equal((await ws.call("List", {})).content, `${ws.cwd} is empty`);
  await ws.put("a.txt", "");
  assert.match((await ws.call("List", { path: "a.txt" })).content, /it is a file; use Read/);
  assert.match((await ws.call("List", { path: "a.tx" })).content, /does not exist; did you mean .*a\.txt\?/);
  assert.match((await ws.call("List", { depth: 9 })).content, /"depth" must be a whole number from 1 to 3/);
});
