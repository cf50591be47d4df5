import assert from "node:assert/strict";
import { encodeText } from "../../core/files/mod.ts";
import { TestWorkspace } from "./test_workspace.ts";

Deno.test("Write creates a file with its folders, byte for byte", async () => {
  await using ws = await TestWorkspace.open();
  const outcome = await ws.call("Write", { file_path: "a/b/c.txt", content: "é\r\nx\n" });
  assert.equal(outcome.content, "Created a/b/c.txt: +2 -0, 6 bytes");
  assert.equal(await ws.text("a/b/c.txt"), "é\r\nx\n");
  assert.equal(outcome.seen?.[0]?.path, ws.path("a/b/c.txt"));
  const again = await ws.call("Write", { file_path: "a/b/c.txt", content: "y" });
  assert.equal(again.is_error, undefined, "what was written counts as seen");
});

Deno.test("Write over a file needs it read, and an unchanged one", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "old");
  assert.match((await ws.call("Write", { file_path: "a.txt", content: "new" })).content, /Read it first/);
  await ws.call("Read", { file_path: "a.txt" });
  await ws.put("a.txt", "other");
  assert.match((await ws.call("Write", { file_path: "a.txt", content: "new" })).content, /changed on disk/);
  assert.equal(await ws.text("a.txt"), "other");
});

Deno.test("Write keeps line ends, byte order mark, encoding and mode of the file it replaces", async () => {
  await using ws = await TestWorkspace.open();
  const cases: [string, string, string][] = [
    ["\ufeffa\r\nb\r\n", "a\nnew\nb\n", "\ufeffa\r\nnew\r\nb\r\n"],
    ["a\r\nb\nc\rd\n", "a\nb\nnew\nc\nd\n", "a\r\nb\nnew\nc\rd\n"],
    ["a\r\nb\r\n", "a\r\nb\n", "a\r\nb\n"],
    ["a\r\nb\r\n", "a\nb", "a\r\nb"],
    ["a\nb\n", "a\r\nb", "a\r\nb"],
  ];
  for (const encoding of ["utf-8", "utf-16le"] as const) {
    for (const [old_text, content, wanted] of cases) {
      if (encoding !== "utf-8" && !old_text.startsWith("\ufeff")) continue;
      await ws.put("a.txt", encodeText(old_text, encoding));
      await Deno.chmod(ws.path("a.txt"), 0o640);
      await ws.call("Read", { file_path: "a.txt" });
      const outcome = await ws.call("Write", { file_path: "a.txt", content });
      assert.equal(outcome.is_error, undefined, outcome.content);
      assert.deepEqual([...await ws.bytes("a.txt")], [...encodeText(wanted, encoding)]);
      assert.equal((await Deno.stat(ws.path("a.txt"))).mode! & 0o7777, 0o640);
    }
  }
});

Deno.test("Write shows what changed, not the whole file", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "line\n".repeat(500) + "end\n");
  await ws.call("Read", { file_path: "a.txt" });
  const outcome = await ws.call("Write", { file_path: "a.txt", content: "line\n".repeat(500) + "END\n" });
  assert.equal(
    outcome.content,
    "Wrote a.txt: +1 -1, 2504 bytes\n@@ -498,4 +498,4 @@\n line\n line\n line\n-end\n+END",
  );
});

Deno.test("Write refuses folders, pipes, binary files and unread names of links", async () => {
  await using ws = await TestWorkspace.open();
  await Deno.mkdir(ws.path("sub"));
  await ws.put("a.bin", Uint8Array.from([0, 1, 2]));
  await new Deno.Command("mkfifo", { args: [ws.path("pipe")] }).output();
  const cases: [string, RegExp][] = [
    ["sub", /is a directory/],
    ["new/", /names a folder/],
    ["pipe", /named pipe/],
    ["a.bin", /not text \(binary data, 3 bytes\)/],
    ["a.bin/x", /not a directory/],
  ];
  for (const [file_path, wanted] of cases) {
    const outcome = await ws.call("Write", { file_path, content: "x" });
    assert.equal(outcome.is_error, true, file_path);
    assert.match(outcome.content, wanted);
  }
});

Deno.test("Write to a file granted alone writes in place and leaves its folder alone", async () => {
  await using ws = await TestWorkspace.open();
  const path = `${ws.root}/granted.txt`;
  await Deno.writeTextFile(path, "old text");
  ws.context = { read_roots: [ws.cwd, path], write_roots: [path] };
  await ws.call("Read", { file_path: path });
  const outcome = await ws.call("Write", { file_path: path, content: "new" });
  assert.match(outcome.content, /written in place/);
  assert.equal(await Deno.readTextFile(path), "new");
});
