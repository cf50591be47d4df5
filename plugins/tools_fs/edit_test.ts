import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeText, joinBytes } from "../../core/files/mod.ts";
import { applyEdit } from "./apply_edit.ts";
import { TestWorkspace } from "./test_workspace.ts";
import { textFile } from "./text_file.ts";

Deno.test("Edit finds a block given with LF in a CRLF file and keeps every other byte", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("unit.pas", "begin\r\n\tx := 1;\r\n\ty := 2;\r\nend.\r\n");
  const outcome = await ws.edit(
    "unit.pas",
    "begin\n\tx := 1;\n\ty := 2;",
    "begin\n\tx := 3;\n\tz := 4;\n\ty := 2;",
  );
  assert.equal(outcome.is_error, undefined, outcome.content);
  assert.equal(await ws.text("unit.pas"), "begin\r\n\tx := 3;\r\n\tz := 4;\r\n\ty := 2;\r\nend.\r\n");
});

Deno.test("Edit keeps mixed line ends line by line", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("m.txt", "a\r\nb\nc\rd\r\ne");
  await ws.edit("m.txt", "b\nc\nd", "b\nnew\nC\nd");
  assert.equal(await ws.text("m.txt"), "a\r\nb\nnew\rC\rd\r\ne");
  await ws.edit("m.txt", "a\n", "a\nafter a\n");
  assert.equal(await ws.text("m.txt"), "a\r\nafter a\nb\nnew\rC\rd\r\ne");
});

Deno.test("Edit with CR in old_string is taken as it stands", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("m.txt", "a\r\nb\r\n");
  await ws.edit("m.txt", "a\r\nb", "a\nb");
  assert.equal(await ws.text("m.txt"), "a\nb\r\n");
});

Deno.test("Edit right after Read of a CRLF file is not taken as a change on disk", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "one\r\ntwo\r\n");
  await ws.call("Read", { file_path: "a.txt" });
  const now = new Date();
  await Deno.utime(ws.path("a.txt"), now, new Date(now.getTime() + 60_000)); // touched, same bytes
  const first = await ws.call("Edit", { file_path: "a.txt", old_string: "one", new_string: "1" });
  const second = await ws.call("Edit", { file_path: "a.txt", old_string: "two", new_string: "2" });
  assert.deepEqual([first.is_error, second.is_error], [undefined, undefined]);
  assert.equal(await ws.text("a.txt"), "1\r\n2\r\n");
});

Deno.test("Edit refuses a file that was not read, or that changed since", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "one\n");
  const unread = await ws.call("Edit", { file_path: "a.txt", old_string: "one", new_string: "1" });
  assert.match(unread.content, /Read it first/);
  await ws.call("Read", { file_path: "a.txt" });
  await ws.put("a.txt", "one \n");
  const stale = await ws.call("Edit", { file_path: "a.txt", old_string: "one", new_string: "1" });
  assert.match(stale.content, /changed on disk since it was read/);
  assert.deepEqual([unread.is_error, stale.is_error], [true, true]);
  assert.equal(await ws.text("a.txt"), "one \n");
});

Deno.test("Edit finds NFC text in an NFD file, and what is not replaced stays NFD", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "caf\u0065\u0301 ol\u0065\u0301 caf\u0065\u0301s\n");
  const outcome = await ws.edit("a.txt", "ol\u00e9 caf\u00e9s", "ol\u00e9, caf\u00e9s");
  assert.match(outcome.content, /normal form C/);
  assert.equal(await ws.text("a.txt"), "caf\u0065\u0301 ol\u0065\u0301, caf\u0065\u0301s\n");
});

Deno.test("Edit finds NFD text in an NFC file", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "한글 é x\n");
  await ws.edit("a.txt", "한글 é x".normalize("NFD"), "y");
  assert.equal(await ws.text("a.txt"), "y\n");
});

Deno.test("Edit tolerates full-width punctuation when one place fits, and keeps it outside the change", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.py", "print（“你好”）；\nprint(1)；\n");
  const outcome = await ws.edit("a.py", 'print("你好");', 'print("你们好");');
  assert.match(outcome.content, /full-width characters read as ASCII/);
  assert.equal(await ws.text("a.py"), "print（“你们好”）；\nprint(1)；\n");
});

Deno.test("Edit refuses a tolerant match that fits two places, with replace_all too", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.py", "f（1）\nf(1）\n");
  for (const replace_all of [false, true]) {
    const outcome = await ws.edit("a.py", "f(1)", "g(1)", { replace_all });
    assert.equal(outcome.is_error, true);
    assert.match(outcome.content, /2 places \(lines 1, 2\)/);
    assert.match(outcome.content, /U\+FF08 \(full-width "\("\)/);
  }
  assert.equal(await ws.text("a.py"), "f（1）\nf(1）\n");
});

Deno.test("Edit that finds nothing shows the nearest line and the code points that differ", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.md", "# Title\n\nHe said “hello” to the world\n\tindented = true;\nvalue = 1;  \n");
  const cases: [string, RegExp][] = [
    [
      'He said "hello" to the wurld',
      /line 3:[^]*“hello”[^]*column 9: the file has U\+201C \(left double quotation mark\), old_string has U\+0022/,
    ],
    ["    indented = true;", /line 4:[^]*indentation: the file has 1 tab, old_string 4 spaces/],
    ["value = 1; \n# End", /line 5:[^]*trailing blanks: the file has 2 spaces, old_string 1 space/],
    ["indented = false;", /line 4:[^]*column 13: the file has U\+0074 "t", old_string has U\+0066 "f"/],
    ["3\tHe said “hello”", /Leave out the line numbers/],
    ["nothing of this kind anywhere", /Nothing in the file is like it/],
  ];
  for (const [old_string, wanted] of cases) {
    const outcome = await ws.edit("a.md", old_string, "x");
    assert.equal(outcome.is_error, true);
    assert.match(outcome.content, wanted);
  }
});

Deno.test("Edit keeps the byte order mark and UTF-16", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("skill.md", "\ufeff---\nname: a\n---\n");
  await ws.edit("skill.md", "---\nname: a", "---\nname: b");
  assert.equal(
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(await ws.bytes("skill.md")),
    "\ufeff---\nname: b\n---\n",
  );
  for (const encoding of ["utf-16le", "utf-16be"] as const) {
    await ws.put("a.reg", encodeText("\ufeffkey=a\r\nü=😀\r\n", encoding));
    const outcome = await ws.edit("a.reg", "ü=😀", "ü=😁\nx");
    assert.equal(outcome.is_error, undefined, outcome.content);
    assert.deepEqual(
      await ws.bytes("a.reg"),
      Uint8Array.from(encodeText("\ufeffkey=a\r\nü=😁\r\nx\r\n", encoding)),
    );
  }
});

Deno.test("Edit works beside and on bytes that are not UTF-8", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("latin1.txt", Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x61, 0x0a]));
  await ws.edit("latin1.txt", "a\n", "b\n");
  assert.deepEqual([...await ws.bytes("latin1.txt")], [0x63, 0x61, 0x66, 0xe9, 0x0a, 0x62, 0x0a]);
  const shown = await ws.call("Read", { file_path: "latin1.txt" });
  assert.match(shown.content, /^1\tcaf\\xE9\n/);
  const outcome = await ws.edit("latin1.txt", "caf\\xE9", "the caf\\xE9");
  assert.match(outcome.content, /\\xNN as that byte/);
  assert.deepEqual([...(await ws.bytes("latin1.txt")).slice(0, 8)], [
    0x74,
    0x68,
    0x65,
    0x20,
    0x63,
    0x61,
    0x66,
    0xe9,
  ]);
});

Deno.test("Edit takes $ patterns of the replacement as they are", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.js", "s.replace(x, y)\r\nend\r\n");
  await ws.edit("a.js", "x, y)\nend", "/a/, '$&$1$$`')\n$'\nend");
  assert.equal(await ws.text("a.js"), "s.replace(/a/, '$&$1$$`')\r\n$'\r\nend\r\n");
});

Deno.test("Edit keeps a missing and an existing final newline, mode bits, and a link as a link", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("run.sh", "#!/bin/sh\necho a");
  await Deno.chmod(ws.path("run.sh"), 0o751);
  await Deno.symlink("run.sh", ws.path("link.sh"));
  const outcome = await ws.edit("link.sh", "echo a", "echo b");
  assert.equal(outcome.data?.["file_path"], ws.path("run.sh"));
  assert.equal(await ws.text("run.sh"), "#!/bin/sh\necho b");
  assert.equal((await Deno.stat(ws.path("run.sh"))).mode! & 0o7777, 0o751);
  assert.equal((await Deno.lstat(ws.path("link.sh"))).isSymlink, true);
});

Deno.test("Edit names the lines when a text fits several places, and replace_all takes them all", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "x\r\nx\nyy\nx");
  const refused = await ws.edit("a.txt", "x", "z");
  assert.match(refused.content, /fits 3 places \(lines 1, 2, 4\)/);
  assert.match((await ws.edit("a.txt", "x\n", "z\n")).content, /fits 2 places \(lines 1, 2\)/);
  const done = await ws.edit("a.txt", "x", "z", { replace_all: true });
  assert.match(done.content, /^Edited a.txt \(3 places\): \+3 -3/);
  assert.equal(await ws.text("a.txt"), "z\r\nz\nyy\nz");
});

Deno.test("Edit with replace_all leaves no place out, however many there are", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "x\n".repeat(150_000));
  const done = await ws.edit("a.txt", "x", "y", { replace_all: true });
  assert.match(done.content, /\(150000 places\)/);
  assert.equal(await ws.text("a.txt"), "y\n".repeat(150_000));
  assert.match((await ws.edit("a.txt", "y", "z")).content, /fits 1000 or more places \(first at lines 1, 2,/);
});

Deno.test("Edit counts overlapping places as ambiguous", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "aaa");
  assert.match((await ws.edit("a.txt", "aa", "b")).content, /fits 2 places/);
});

Deno.test("Edit that changes nothing is an error", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "say “a”");
  assert.match((await ws.edit("a.txt", "a", "a")).content, /are equal/);
  assert.match((await ws.edit("a.txt", 'say "a"', "say “a”")).content, /Nothing to change/);
});

Deno.test("Edit with an empty old_string creates a file or fills an empty one, and nothing else", async () => {
  await using ws = await TestWorkspace.open();
  const created = await ws.call("Edit", { file_path: "new/dir/a.txt", old_string: "", new_string: "a\r\nb" });
  assert.match(created.content, /^Created new\/dir\/a.txt: \+2 -0/);
  assert.equal(await ws.text("new/dir/a.txt"), "a\r\nb");
  await ws.put("empty.txt", "");
  await ws.call("Edit", { file_path: "empty.txt", old_string: "", new_string: "x" });
  assert.equal(await ws.text("empty.txt"), "x");
  const refused = await ws.call("Edit", {
    file_path: "empty.txt",
    old_string: "",
    new_string: "y",
    replace_all: true,
  });
  assert.match(refused.content, /old_string is empty, but empty.txt has content/);
  const missing = await ws.call("Edit", { file_path: "new/dir/A.text", old_string: "a", new_string: "b" });
  assert.match(missing.content, /does not exist; did you mean .*new\/dir\/a\.txt\?/);
});

Deno.test("Edit shows a diff with the right line numbers and returns it as data", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", Array.from({ length: 20 }, (_, line) => `line ${line + 1}\n`).join(""));
  const outcome = await ws.edit("a.txt", "line 10\n", "ten\nand a half\n");
  const patch =
    "@@ -7,7 +7,8 @@\n line 7\n line 8\n line 9\n-line 10\n+ten\n+and a half\n line 11\n line 12\n line 13";
  assert.equal(outcome.content, `Edited a.txt (1 place): +2 -1\n${patch}`);
  assert.equal(outcome.data?.["patch"], patch);
});

Deno.test("MultiEdit applies all edits in order, or none and names the one that failed", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "one\ntwo\n");
  await ws.call("Read", { file_path: "a.txt" });
  const edits = [{ old_string: "one", new_string: "two" }, { old_string: "two\ntwo", new_string: "2\n2" }];
  const bad = [...edits, { old_string: "three", new_string: "3" }];
  const failed = await ws.call("MultiEdit", { file_path: "a.txt", edits: bad });
  assert.match(failed.content, /^Edit 3 of 3: old_string was not found[^]*No edit was applied$/);
  assert.equal(await ws.text("a.txt"), "one\ntwo\n");
  const done = await ws.call("MultiEdit", { file_path: "a.txt", edits });
  assert.equal(done.is_error, undefined, done.content);
  assert.equal(await ws.text("a.txt"), "2\n2\n");
});

Deno.test("applyEdit() leaves all bytes outside of the matched span as they were", () => {
  const marker = new TextEncoder().encode("<<unique: \u00e9 span>>");
  const soup = fc.array(fc.oneof(
    fc.uint8Array({ maxLength: 8 }).map((bytes) => bytes.filter((byte) => byte !== 0x3c)),
    fc.constantFrom("\r\n", "\r", "\n", "e\u0301", "“", "（", "\ufeff", "😀").map((text) =>
      new TextEncoder().encode(text)
    ),
  )).map(joinBytes);
  const replacement = fc.string({ unit: "grapheme" });
  fc.assert(fc.property(soup, soup, replacement, fc.constantFrom(0, 3), (before, after, new_string, bom) => {
    const mark = Uint8Array.of(0xef, 0xbb, 0xbf).subarray(0, bom);
    const file = textFile(joinBytes([mark, before, marker, after]), { encoding: "utf-8", bom });
    const edited = applyEdit(file, {
      old_string: "<<unique: \u00e9 span>>",
      new_string,
      replace_all: false,
    }, "f").file.bytes;
    const head = bom + before.length;
    assert.deepEqual(edited.subarray(0, head), file.bytes.subarray(0, head));
    assert.deepEqual(edited.subarray(edited.length - after.length), joinBytes([after]));
    const middle = new TextDecoder().decode(edited.subarray(head, edited.length - after.length));
    const plain = (text: string) => text.replace(/\r\n?/g, "\n");
    assert.equal(plain(middle), plain(new_string));
  }));
});
