import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { encodeText } from "../../core/files/mod.ts";
import { onlyWhere } from "../../tests/support/skip.ts";
import { TestWorkspace } from "./test_workspace.ts";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

Deno.test("Read numbers lines, shows line ends as LF and returns the hash of the raw bytes", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "\ufeffone\r\n\ttwo\rthree\n");
  const outcome = await ws.call("Read", { file_path: "a.txt" });
  assert.equal(outcome.content, "1\tone\n2\t\ttwo\n3\tthree");
  const hash = sha256(await Deno.readFile(ws.path("a.txt")));
  assert.deepEqual(outcome.seen, [{ path: ws.path("a.txt"), sha256: hash }]);
  assert.deepEqual(outcome.data, {
    file_path: ws.path("a.txt"),
    start_line: 1,
    lines: 3,
    total_lines: 3,
    bytes: 19,
    encoding: "utf-8",
    partial: false,
  });
});

Deno.test("Read pages with offset and limit and says what is left", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", Array.from({ length: 5000 }, (_, line) => `l${line + 1}`).join("\n"));
  const whole = await ws.call("Read", { file_path: "a.txt" });
  assert.match(whole.content, /\n2000\tl2000\n\[PARTIAL: lines 1-2000 of 5000; go on with offset 2001\]$/);
  const page = await ws.call("Read", { file_path: "a.txt", offset: 4999, limit: 10 });
  assert.equal(page.content, "4999\tl4999\n5000\tl5000\n[PARTIAL: lines 4999-5000 of 5000]");
  const beyond = await ws.call("Read", { file_path: "a.txt", offset: 5001 });
  assert.match(beyond.content, /from line 5001: it has 5000 lines/);
  assert.equal(beyond.is_error, true);
  assert.match(
    (await ws.call("Read", { file_path: "a.txt", limit: 0 })).content,
    /"limit" must be a whole number/,
  );
});

Deno.test("Read says that a file is empty", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "");
  assert.equal((await ws.call("Read", { file_path: "a.txt" })).content, "(empty file)");
});

Deno.test("Read of a line of 100 MB is clipped, whole in its hash, and bounded in memory", async () => {
  await using ws = await TestWorkspace.open();
  const chunk = new Uint8Array(1024 * 1024).fill(0x78);
  {
    using file = await Deno.open(ws.path("big.txt"), { write: true, create: true });
    for (let count = 0; count < 100; count++) await file.write(chunk);
    await file.write(new TextEncoder().encode("\nlast\n"));
  }
  const before = Deno.memoryUsage().rss;
  const outcome = await ws.call("Read", { file_path: "big.txt" });
  const grown = Deno.memoryUsage().rss - before;
  assert.ok(grown < 50 * 1024 * 1024, `${grown} bytes more`);
  assert.match(outcome.content, /^1\tx{2000}… \[line has 104857600 bytes\]\n2\tlast\n\[1 long line is cut/);
  assert.ok(outcome.content.length < 3000);
  assert.equal(outcome.seen?.[0]?.sha256.length, 64);
});

Deno.test("Read never gives more than 100,000 characters", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", `${"y".repeat(1500)}\n`.repeat(1000));
  const outcome = await ws.call("Read", { file_path: "a.txt" });
  assert.ok(outcome.content.length <= 100_200, `${outcome.content.length}`);
  const next = Number(/go on with offset (\d+)\]$/.exec(outcome.content)?.[1]);
  const page = await ws.call("Read", { file_path: "a.txt", offset: next, limit: 1 });
  assert.ok(page.content.startsWith(`${next}\tyyy`));
});

Deno.test("Read decodes UTF-16 and escapes bytes that are not text", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.reg", encodeText("\ufeffüber\r\n😀\r\n", "utf-16le"));
  const wide = await ws.call("Read", { file_path: "a.reg" });
  assert.equal(wide.content, "1\tüber\n2\t😀\n[UTF-16LE; edits keep the encoding]");
  await ws.put("b.txt", Uint8Array.from([0xd6, 0xd0, 0x0a, 0x61]));
  const bytes = await ws.call("Read", { file_path: "b.txt" });
  assert.equal(bytes.content, "1\t\\xD6\\xD0\n2\ta\n[1 line has bytes that are not text, shown as \\xNN]");
});

Deno.test("Read of what is no text file is one clear error", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.png", Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0]));
  await ws.put("readme.md", "x");
  await Deno.mkdir(ws.path("sub"));
  await new Deno.Command("mkfifo", { args: [ws.path("pipe")] }).output();
  await Deno.symlink("loop", ws.path("loop"));
  const cases: [string, RegExp][] = [
    ["a.png", /it begins like a PNG image and is none$/],
    ["sub", /it is a directory; use List/],
    ["pipe", /it is a named pipe$/],
    ["loop", /links lead in a circle/],
    ["README.md", /does not exist; did you mean .*readme\.md\?$/],
    ["sub/none/deep.txt", /does not exist; the folder .*sub\/none does not exist; /],
    ["", /empty/],
    ["a\0b", /NUL/],
    ["~/x", /home folder is not known/],
  ];
  for (const [file_path, wanted] of cases) {
    const outcome = await ws.call("Read", { file_path });
    assert.equal(outcome.is_error, true, file_path);
    assert.match(outcome.content, wanted);
    assert.equal(outcome.content.includes("\n"), false, outcome.content);
  }
});

Deno.test(
  onlyWhere(
    "Read of a file without read permission is a clear error",
    Deno.build.os !== "windows" && Deno.uid() !== 0,
    "nothing is unreadable to root, and Windows has no mode bits",
  ),
  async () => {
    await using ws = await TestWorkspace.open();
    await ws.put("a.txt", "x");
    await Deno.chmod(ws.path("a.txt"), 0);
    assert.match(
      (await ws.call("Read", { file_path: "a.txt" })).content,
      /permission denied by the file system/,
    );
  },
);

Deno.test("Read ends with the signal's reason when the call is interrupted", async () => {
  await using ws = await TestWorkspace.open();
  await ws.put("a.txt", "x");
  ws.context = { signal: AbortSignal.abort(new Error("interrupted")) };
  await assert.rejects(ws.call("Read", { file_path: "a.txt" }), /interrupted/);
});
