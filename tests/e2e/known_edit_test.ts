import assert from "node:assert/strict";
import type { JsonObject } from "../../core/types/mod.ts";
import { failed, runCalls, succeeded } from "../support/run_calls.ts";
import type { CallOptions, CallResult, ScriptedCall } from "../support/run_calls.ts";
import { runLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";

const EDITING: CallOptions = { args: ["--permission-mode", "accept-edits"] };

function read(file_path: string): ScriptedCall {
  return ["Read", { file_path }];
}

function edit(
  file_path: string,
  old_string: string,
  new_string: string,
  more: JsonObject = {},
): ScriptedCall {
  return ["Edit", { file_path, old_string, new_string, ...more }];
}

/** The bytes of a file as text in which every byte is one character. */
async function bytesOf(path: string): Promise<string> {
  return new TextDecoder("latin1").decode(await Deno.readFile(path));
}

/** UTF-8 text in the same form. */
function bytes(text: string): string {
  return new TextDecoder("latin1").decode(new TextEncoder().encode(text));
}

function allSucceeded(results: readonly CallResult[]): void {
  for (const result of results) succeeded(result);
}

Deno.test("an edit of a CRLF file matches text with LF and changes no other byte", async () => {
  await using dir = await tempDir();
  const before = "unit Main;\r\n\r\nbegin\r\n\tx := 1;\r\n\ty := 2; \r\nend.\r\n\r\n{ über }\r\n\x1a";
  await dir.write("main.pas", before);
  await dir.write("mixed.txt", "a\r\nb\nc\rd\r\ne");
  await dir.write("whole.txt", "one\r\ntwo\r\n");
  const { results } = await runCalls(dir.path, [
    read("main.pas"),
    edit("main.pas", "begin\n\tx := 1;\n\ty := 2; ", "begin\n\tx := 3;\n\tz := 4;\n\ty := 2; "),
    read("mixed.txt"),
    edit("mixed.txt", "b\nc\nd", "b\nnew\nC\nd"),
    ["MultiEdit", {
      file_path: "mixed.txt",
      edits: [{ old_string: "a\n", new_string: "a\nafter a\n" }, {
        old_string: "d\ne",
        new_string: "d\ne\nf",
      }],
    }],
    read("whole.txt"),
    ["Write", { file_path: "whole.txt", content: "one\ntwo\nthree\n" }],
  ], EDITING);
  allSucceeded(results);
  assert.match(results[0]?.content ?? "", /^1\tunit Main;\n2\t\n3\tbegin\n4\t\tx := 1;\n/, "Read shows LF");
  const after = before.replace("\tx := 1;\r\n", "\tx := 3;\r\n\tz := 4;\r\n");
  assert.equal(await bytesOf(dir.join("main.pas")), bytes(after));
  assert.equal(await bytesOf(dir.join("mixed.txt")), "a\r\nafter a\nb\nnew\rC\rd\r\ne\r\nf");
  assert.equal(await bytesOf(dir.join("whole.txt")), "one\r\ntwo\r\nthree\r\n");
});

Deno.test("a file counts as changed by its bytes alone: not by its line ends, nor by its time", async () => {
  await using dir = await tempDir();
  for (const name of ["touched.txt", "changed.txt", "unread.txt"]) await dir.write(name, "one\r\ntwo\r\n");
  const { results } = await runCalls(dir.path, [
    read("touched.txt"),
    "touch -d '2031-01-01 00:00:00' touched.txt",
    edit("touched.txt", "one\n", "1\n"),
    edit("touched.txt", "two\n", "2\n"),
    read("changed.txt"),
    // same size, same time, other bytes
    "cp -p changed.txt stamp && sed -i s/two/TWO/ changed.txt && touch -r stamp changed.txt",
    edit("changed.txt", "one", "1"),
    edit("unread.txt", "one", "1"),
    ["Write", { file_path: "unread.txt", content: "gone" }],
    read("changed.txt"),
    edit("changed.txt", "one", "1"),
  ], { args: ["--yolo"] });
  for (const at of [0, 1, 2, 3, 4, 5, 9, 10]) succeeded(results[at]);
  assert.equal(await bytesOf(dir.join("touched.txt")), "1\r\n2\r\n");
  assert.match(failed(results[6]), /changed\.txt.*changed on disk since it was read/);
  assert.match(failed(results[7]), /unread\.txt.*Read it first/);
  assert.match(failed(results[8]), /unread\.txt.*Read it first/);
  assert.equal(await bytesOf(dir.join("unread.txt")), "one\r\ntwo\r\n");
  assert.equal(await bytesOf(dir.join("changed.txt")), "1\r\nTWO\r\n");
});

Deno.test("an edit in composed letters finds decomposed text, and what is not replaced keeps its form", async () => {
  await using dir = await tempDir();
  const nfd = "cafe\u0301 ole\u0301 cafe\u0301s\n";
  await dir.write("nfd.txt", nfd);
  await dir.write("nfc.txt", "caf\u00e9 ol\u00e9\n");
  const { results } = await runCalls(dir.path, [
    read("nfd.txt"),
    edit("nfd.txt", "ol\u00e9 caf\u00e9s", "ol\u00e9, caf\u00e9s"),
    read("nfc.txt"),
    edit("nfc.txt", "cafe\u0301 ole\u0301", "th\u00e9"),
  ], EDITING);
  allSucceeded(results);
  assert.match(results[1]?.content ?? "", /normal form C/);
  assert.equal(await bytesOf(dir.join("nfd.txt")), bytes("cafe\u0301 ole\u0301, cafe\u0301s\n"));
  assert.equal(await bytesOf(dir.join("nfc.txt")), bytes("th\u00e9\n"));
});

Deno.test("full-width punctuation matches where one place fits, and is refused with the code points where two do", async () => {
  await using dir = await tempDir();
  await dir.write("one.py", "print（“你好”）；\nprint(1)；\n");
  await dir.write("two.py", "f（1）\nf(1）\n");
  const { results } = await runCalls(dir.path, [
    read("one.py"),
    edit("one.py", 'print("你好");', 'print("你们好");'),
    read("two.py"),
    edit("two.py", "f(1)", "g(1)"),
    edit("two.py", "f(1)", "g(1)", { replace_all: true }),
  ], EDITING);
  assert.match(succeeded(results[1]), /full-width characters read as ASCII/);
  assert.equal(await bytesOf(dir.join("one.py")), bytes("print（“你们好”）；\nprint(1)；\n"));
  for (const result of results.slice(3)) {
    assert.match(failed(result), /2 places \(lines 1, 2\)/);
    assert.match(failed(result), /U\+FF08 \(full-width "\("\), old_string has U\+0028 "\("/);
  }
  assert.equal(await bytesOf(dir.join("two.py")), bytes("f（1）\nf(1）\n"));
});

Deno.test("an edit that does not match shows the nearest line and the code points that differ", async () => {
  await using dir = await tempDir();
  const text = "# Title\n\nHe said “hello” to the world\n\tindented = true;\nvalue = 1;  \n";
  await dir.write("a.md", text);
  const cases: [string, RegExp][] = [
    [
      'He said "hello" to the wurld',
      /line 3:[^]*“hello”[^]*column 9: the file has U\+201C \(left double quotation mark\), old_string has U\+0022/,
    ],
    ["    indented = true;", /line 4:[^]*indentation: the file has 1 tab, old_string 4 spaces/],
    ["value = 1; \n# End", /line 5:[^]*trailing blanks: the file has 2 spaces, old_string 1 space/],
    ["nothing of this kind anywhere", /Nothing in the file is like it/],
  ];
  const { results } = await runCalls(dir.path, [
    read("a.md"),
    ...cases.map(([old_string]) => edit("a.md", old_string, "x")),
  ], EDITING);
  for (const [at, [, wanted]] of cases.entries()) assert.match(failed(results[at + 1]), wanted);
  assert.equal(await bytesOf(dir.join("a.md")), bytes(text));
});

Deno.test("an edit keeps byte order mark, encoding, foreign bytes, mode bits, a link and a missing last newline", async () => {
  await using dir = await tempDir();
  await dir.write("skill.md", "\ufeff---\nname: a\n---\n");
  await dir.write("wide.reg", utf16le("\ufeffkey=a\r\nü=😀\r\n"));
  await dir.write("latin1.txt", Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x61, 0x0a]));
  await dir.write("run.sh", "#!/bin/sh\necho a");
  await Deno.chmod(dir.join("run.sh"), 0o751);
  await Deno.symlink("run.sh", dir.join("link.sh"));
  await dir.write("a.js", "s.replace(x, y)\r\nend\r\n");
  const { results } = await runCalls(dir.path, [
    read("skill.md"),
    edit("skill.md", "---\nname: a", "---\nname: b"),
    ["Write", { file_path: "skill.md", content: "---\nname: c\n---\n" }],
    read("wide.reg"),
    edit("wide.reg", "ü=😀", "ü=😁\nx"),
    read("latin1.txt"),
    edit("latin1.txt", "a\n", "b\n"),
    read("link.sh"),
    edit("link.sh", "echo a", "echo b"),
    read("a.js"),
    edit("a.js", "x, y)\nend", "/a/, '$&$1$$`')\n$'\nend"),
  ], EDITING);
  allSucceeded(results);
  assert.equal(results[0]?.content, "1\t---\n2\tname: a\n3\t---", "the mark is not shown");
  assert.equal(await bytesOf(dir.join("skill.md")), bytes("\ufeff---\nname: c\n---\n"));
  assert.deepEqual(await Deno.readFile(dir.join("wide.reg")), utf16le("\ufeffkey=a\r\nü=😁\r\nx\r\n"));
  assert.equal(await bytesOf(dir.join("latin1.txt")), "caf\xe9\nb\n");
  assert.equal(await bytesOf(dir.join("run.sh")), "#!/bin/sh\necho b");
  assert.equal((await Deno.stat(dir.join("run.sh"))).mode! & 0o7777, 0o751);
  assert.equal((await Deno.lstat(dir.join("link.sh"))).isSymlink, true);
  assert.equal(await bytesOf(dir.join("a.js")), "s.replace(/a/, '$&$1$$`')\r\n$'\r\nend\r\n");
});

Deno.test("settings with a byte order mark hold in every layer, and a settings file that cannot be read is named", async () => {
  await using dir = await tempDir();
  await using root = await tempDir();
  await root.write(
    "config/settings.json",
    '\ufeff{ "permissions": { "deny": ["Bash(ls *)"], }, /* mine */ }',
  );
  await dir.write(".Lumina/CONFIG/defaults.json", '\ufeff{ "permissions": { "deny": ["Bash(wc *)"] } }');
  await dir.write("LUMINA.md", "\ufeff---\nmarked-rule\n");
  let system = "";
  const calls = ["ls -l", "wc -l LUMINA.md", "cat LUMINA.md"];
  const { results, stderr } = await runCalls(dir.path, calls, {
    app_root: root.path,
    args: ["--yolo"],
    before: (call, request) => {
      if (call === 0) system = request.raw;
    },
  });
  assert.match(failed(results[0]), /Bash\(ls \*\)/);
  assert.match(failed(results[1]), /Bash\(wc \*\)/);
  succeeded(results[2]);
  assert.match(system, /---\\nmarked-rule/);
  assert.equal(system.includes("\ufeff"), false);
  assert.equal(stderr, "");
  const file = await root.write("config/settings.json", '\ufeff{\n  "permissions": { "deny": [ }\n}');
  const broken = await runLumina(["-p", "hi"], { cwd: dir.path, app_root: root.path });
  assert.equal(broken.code, 2);
  assert.ok(broken.stderr.includes(`${file}:2:`), broken.stderr);
});

function utf16le(text: string): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2));
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), true);
  return new Uint8Array(view.buffer);
}
