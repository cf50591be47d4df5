import assert from "node:assert/strict";
import { TestWorkspace } from "./test_workspace.ts";

const patch = (...body: string[]) => ["*** Begin Patch", ...body, "*** End Patch", ""].join("\n");

Deno.test("apply_patch changes, adds, moves and deletes files and tells the difference of each", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "one\ntwo\nthree\n");
  await ws.put("b.txt", "b\n");
  await ws.put("c.txt", "c\n");
  for (const file_path of ["a.txt", "b.txt", "c.txt"]) await ws.call("Read", { file_path });
  const { content, data, is_error } = await ws.call("apply_patch", {
    patch: patch(
      "*** Update File: a.txt",
      "@@",
      " one",
      "-two",
      "+2",
      "*** Update File: b.txt",
      "*** Move to: sub/b2.txt",
      "-b",
      "+B",
      "*** Add File: deep/new.txt",
      "+new",
      "*** Delete File: c.txt",
    ),
  });
  assert.equal(is_error, undefined, content);
  assert.equal(await ws.text("a.txt"), "one\n2\nthree\n");
  assert.equal(await ws.text("sub/b2.txt"), "B\n");
  assert.equal(await ws.text("deep/new.txt"), "new\n");
  await assert.rejects(Deno.lstat(ws.path("b.txt")));
  await assert.rejects(Deno.lstat(ws.path("c.txt")));
  assert.match(
    content,
    /^M a\.txt: \+1 -1\n@@ .*\nR b\.txt -> sub\/b2\.txt: \+1 -1\n.*A deep\/new\.txt: \+1 -0\nD c\.txt: \+0 -1$/s,
  );
  const files = data!["files"] as { file_path: string; kind: string }[];
  assert.deepEqual(files.map(({ kind }) => kind), ["update", "move", "create", "delete"]);
  // what was written has been seen
  assert.equal(
    (await ws.call("apply_patch", { patch: patch("*** Delete File: sub/b2.txt") })).is_error,
    undefined,
  );
});

Deno.test("apply_patch writes nothing when one of its files cannot be changed", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "a\n");
  await ws.put("unread.txt", "u\n");
  await ws.call("Read", { file_path: "a.txt" });
  const good = ["*** Update File: a.txt", "-a", "+A"];
  const cases: [string[], RegExp][] = [
    [["*** Update File: unread.txt", "-u", "+U"], /unread\.txt exists and has not been read yet/],
    [["*** Update File: none.txt", "-u", "+U"], /does not exist/],
    [["*** Add File: unread.txt", "+x"], /unread\.txt exists already/],
    [["*** Add File: unread.txt/x", "+x"], /Cannot write "unread\.txt\/x": a folder on its way is a file/],
    [["*** Add File: ../out.txt", "+x"], /outside of what this call may write/],
    [["*** Update File: a.txt", "-a", "+B"], /names a\.txt twice/],
  ];
  for (const [bad, problem] of cases) {
    const { content, is_error } = await ws.call("apply_patch", { patch: patch(...good, ...bad) });
    assert.equal(is_error, true);
    assert.match(content, problem);
    assert.equal(await ws.text("a.txt"), "a\n");
  }
  const missing = await ws.call("apply_patch", {
    patch: patch("*** Update File: a.txt", "@@ none", "-a", "+A"),
  });
  assert.match(missing.content, /a\.txt, change 1 of 1: the line after @@ was not found: "none"/);
  const other = await ws.call("apply_patch", { patch: patch("*** Update File: a.txt", "-x", "+A") });
  assert.match(other.content, /a\.txt, change 1 of 1: its lines were not found\. /);
});

Deno.test("apply_patch puts back what it wrote when a later write fails", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "a\r\n");
  await ws.put("gone.txt", "g\n");
  for (const file_path of ["a.txt", "gone.txt"]) await ws.call("Read", { file_path });
  const { content, is_error } = await ws.call("apply_patch", {
    patch: patch(
      "*** Update File: a.txt",
      "-a",
      "+A",
      "*** Delete File: gone.txt",
      "*** Add File: new.txt",
      "+n",
      // its folder has become a file: only the write finds out
      "*** Add File: new.txt/below.txt",
      "+x",
    ),
  });
  assert.equal(is_error, true);
  assert.match(content, /Nothing was changed/);
  assert.equal(await ws.text("a.txt"), "a\r\n");
  assert.equal(await ws.text("gone.txt"), "g\n");
  await assert.rejects(Deno.lstat(ws.path("new.txt")));
});

Deno.test("apply_patch keeps line ends, byte order mark, encoding and a last line without end", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("crlf.txt", "\ufeffone\r\ntwo\r\nthree");
  await ws.put("utf16.txt", Uint8Array.from([0xff, 0xfe, 0x61, 0, 0x0a, 0, 0x62, 0, 0x0a, 0]));
  await ws.put("nfd.txt", "cafe\u0301 “quoted”  \nend\n");
  for (const file_path of ["crlf.txt", "utf16.txt", "nfd.txt"]) await ws.call("Read", { file_path });
  const { content, is_error } = await ws.call("apply_patch", {
    patch: patch(
      "*** Update File: crlf.txt",
      " one",
      "-two",
      "+2",
      "+2b",
      "@@",
      " three",
      "+four",
      "*** Update File: utf16.txt",
      "-b",
      "+ß",
      "*** Update File: nfd.txt",
      ' caf\u00e9 "quoted"',
      "-end",
      "+END",
    ),
  });
  assert.equal(is_error, undefined, content);
  assert.equal(
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(await ws.bytes("crlf.txt")),
    "\ufeffone\r\n2\r\n2b\r\nthree\r\nfour",
  );
  assert.deepEqual(
    await ws.bytes("utf16.txt"),
    Uint8Array.from([0xff, 0xfe, 0x61, 0, 0x0a, 0, 0xdf, 0, 0x0a, 0]),
  );
  assert.equal(await ws.text("nfd.txt"), "cafe\u0301 “quoted”  \nEND\n");
});

Deno.test("apply_patch finds places by anchors, by order, at the end of the file and by the number of a diff", async () => {
  await using ws = await TestWorkspace.open();
  const text = "f() {\n  x\n}\ng() {\n  x\n}\nh() {\n  x\n}\n";
  const after = async (...body: string[]) => {
    await ws.put("a.txt", text);
    await ws.call("Read", { file_path: "a.txt" });
    const { content, is_error } = await ws.call("apply_patch", { patch: body.join("\n") });
    assert.equal(is_error, undefined, content);
    return (await ws.text("a.txt")).split("\n").map((line) => line.trim()).join(" ").trim();
  };
  const update = (...body: string[]) =>
    after("*** Begin Patch", "*** Update File: a.txt", ...body, "*** End Patch");
  assert.equal(await update("@@ g() {", "-  x", "+  y"), "f() { x } g() { y } h() { x }");
  assert.equal(await update("@@", "-  x", "+  1", "@@", "-  x", "+  2"), "f() { 1 } g() { 2 } h() { x }");
  assert.equal(await update("-  x", "+  y", " }", "*** End of File"), "f() { x } g() { x } h() { y }");
  assert.equal(await update("@@ f() {", "+  first"), "f() { first x } g() { x } h() { x }");
  assert.equal(await update("+last"), "f() { x } g() { x } h() { x } last");
  assert.equal(
    await after("--- a/a.txt", "+++ b/a.txt", "@@ -5,1 +5,1 @@", "-  x", "+  y"),
    "f() { x } g() { y } h() { x }",
  );
});
