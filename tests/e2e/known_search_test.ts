import assert from "node:assert/strict";
import type { JsonObject } from "../../core/types/mod.ts";
import { failed, runCalls, succeeded } from "../support/run_calls.ts";
import type { ScriptedCall } from "../support/run_calls.ts";
import { tempDir } from "../support/temp_dir.ts";

const MIB = 1024 * 1024;

function glob(pattern: string, more: JsonObject = {}): ScriptedCall {
  return ["Glob", { pattern, ...more }];
}

function grep(pattern: string, more: JsonObject = {}): ScriptedCall {
  return ["Grep", { pattern, ...more }];
}

/** The names an answer lists, sorted, without its notes. */
function names(content: string): string[] {
  return content.split("\n").filter((line) => !line.startsWith("[")).sort();
}

/** The notes of an answer. */
function notes(content: string): string[] {
  return content.split("\n").filter((line) => line.startsWith("["));
}

Deno.test("a search through circular links ends, and names each real file once", async () => {
  await using dir = await tempDir();
  await dir.write("loop/hit.txt", "needle\n");
  await Deno.mkdir(dir.join("loop/child"));
  await Deno.symlink("../..", dir.join("loop/child/up"));
  await Deno.symlink("..", dir.join("loop/again"));
  // two that lead to each other
  await dir.write("one/a.txt", "needle\n");
  await dir.write("two/b.txt", "needle\n");
  await Deno.symlink("../two", dir.join("one/to_two"));
  await Deno.symlink("../one", dir.join("two/to_one"));
  // an image whose root is the repository
  await dir.write("images/10-base/c.txt", "needle\n");
  await Deno.symlink("../..", dir.join("images/10-base/root"));
  const { results } = await runCalls(dir.path, [
    glob("**/*.txt"),
    glob("**/*.txt", { follow: true }),
    glob("**/", { follow: true }),
    grep("needle"),
    grep("needle", { follow: true }),
    grep("needle", { follow: true, output_mode: "count" }),
    grep("needle", { follow: true, path: "images/10-base/root" }),
    ["List", { path: "loop/child/up" }],
  ]);
  const files = ["images/10-base/c.txt", "loop/hit.txt", "one/a.txt", "two/b.txt"];
  for (const at of [0, 1, 3, 4]) assert.deepEqual(names(succeeded(results[at])), files, `call ${at}`);
  for (const at of [1, 2, 4, 5, 6]) {
    assert.doesNotMatch(succeeded(results[at]), /Incomplete|There is more/, `call ${at}`);
  }
  const directories = ["images/", "images/10-base/", "loop/", "loop/child/", "one/", "two/"];
  assert.deepEqual(names(succeeded(results[2])), directories);
  assert.deepEqual(names(succeeded(results[5])), files.map((file) => `${file}:1`));
  assert.deepEqual(
    names(succeeded(results[6])),
    files.map((file) => `images/10-base/root/${file}`),
    "as the caller named the place",
  );
  for (const at of [0, 3]) assert.deepEqual(notes(succeeded(results[at])).length, 1, results[at]?.content);
  assert.match(succeeded(results[0]), /\[Not looked at: 5 links \(not followed\)\]/);
  assert.match(succeeded(results[7]), /images\/[^]*loop\//);
});

Deno.test("a match in a huge line is shown with its neighbourhood and the bytes left out, in bounded memory", async () => {
  await using dir = await tempDir();
  // what comes before and after the match are whole characters of three bytes
  await dir.write("bundle.min.js", `${"世".repeat(5 * MIB / 3)}<<needle>>${"界".repeat(MIB)}`);
  const huge = await Deno.open(dir.join("huge.b64"), { write: true, create: true });
  const block = new TextEncoder().encode("QUJD".repeat(2 * MIB));
  for (let at = 0; at < 16; at++) await huge.write(block);
  await huge.write(new TextEncoder().encode("<<needle>>"));
  for (let at = 0; at < 16; at++) await huge.write(block);
  huge.close();
  const peaks: number[] = [];
  const { results } = await runCalls(dir.path, [
    grep("needle", { path: "bundle.min.js", output_mode: "content" }),
    grep("needle", { path: "huge.b64", output_mode: "content" }),
    ["Read", { file_path: "huge.b64" }],
  ], { before: (_call, _request, pid) => peaks.push(peakBytes(pid)) });

  const line = succeeded(results[0]).split("\n")[0] ?? "";
  const shown = /^bundle\.min\.js:1:\[(\d+) bytes\] …(世*<<needle>>界*)… \[(\d+) bytes\]$/.exec(line);
  assert.ok(shown !== null, line.slice(0, 200));
  const [, before = "", middle = "", after = ""] = shown;
  const { size } = await Deno.stat(dir.join("bundle.min.js"));
  assert.equal(Number(before) + new TextEncoder().encode(middle).length + Number(after), size);
  assert.equal(middle.length, 500);
  assert.ok(succeeded(results[0]).length < 1000);

  const bytes = 8 * MIB * 16;
  const clipped = /^huge\.b64:1:\[(\d+) bytes\] …([QUJD]*)<<needle>>([QUJD]*)… \[(\d+) bytes\]\n/.exec(
    succeeded(results[1]),
  );
  assert.ok(clipped !== null, succeeded(results[1]).slice(0, 200));
  assert.equal(Number(clipped[1]) + (clipped[2] ?? "").length, bytes);
  assert.equal(Number(clipped[4]) + (clipped[3] ?? "").length, bytes);
  assert.match(succeeded(results[2]), new RegExp(`… \\[line has ${2 * bytes + 10} bytes\\]`));
  assert.ok(succeeded(results[2]).length < 4000);
  const grown = (peaks[3] ?? 0) - (peaks[0] ?? 0);
  assert.ok(grown < 160 * MIB, `a line of ${bytes * 2 / MIB} MiB took ${Math.round(grown / MIB)} MiB`);
});

Deno.test("a long matching line gives a preview around the match and a way to the rest that works", async () => {
  await using dir = await tempDir();
  const long = `${"a".repeat(3000)} needle ${"b".repeat(1992)}`;
  await dir.write("long.txt", `first\n${long}\n`);
  const { results } = await runCalls(dir.path, [
    grep("needle", { output_mode: "content" }),
    ["Read", { file_path: "long.txt", offset: 2, limit: 1 }],
    "sed -n 2p long.txt | cut -c 2900-3100",
  ]);
  const half = (500 - "needle".length) / 2;
  const match = long.indexOf("needle");
  const from = match - half;
  const wanted = `long.txt:2:[${from} bytes] …${long.slice(from, from + 500)}… [${5000 - from - 500} bytes]`;
  const [line, note] = succeeded(results[0]).split("\n");
  assert.equal(line, wanted);
  assert.match(note ?? "", /For the rest: .*long\.txt offset 2/);
  assert.match(note ?? "", /cut -c/);
  assert.ok(succeeded(results[1]).startsWith(`2\t${long.slice(0, 2000)}… [line has 5000 bytes]\n`));
  assert.equal(succeeded(results[2]), long.slice(2899, 3100));
});

Deno.test("a tree of links says that links were skipped, and is searched when they are followed", async () => {
  await using dir = await tempDir();
  const store = "node_modules/.pnpm/left-pad@1.3.0/node_modules/left-pad";
  await dir.write(`${store}/index.js`, "module.exports = leftPad;\n");
  await Deno.symlink(".pnpm/left-pad@1.3.0/node_modules/left-pad", dir.join("node_modules/left-pad"));
  await Deno.mkdir(dir.join("packages/app/node_modules"), { recursive: true });
  await Deno.symlink(`../../../${store}`, dir.join("packages/app/node_modules/left-pad"));
  const { results } = await runCalls(dir.path, [
    glob("packages/app/node_modules/**/*.js"),
    glob("packages/app/node_modules/**/*.js", { follow: true }),
    grep("leftPad", { path: "packages/app" }),
    grep("leftPad", { path: "packages/app", follow: true }),
    grep("leftPad", { path: "packages/app/node_modules/left-pad" }),
  ]);
  for (const at of [0, 2]) {
    assert.match(succeeded(results[at]), /^No (files|matches)/);
    assert.match(succeeded(results[at]), /1 links \(not followed\)/);
    assert.match(succeeded(results[at]), /set follow to (look|search) through links/);
  }
  for (const at of [1, 3, 4]) {
    assert.deepEqual(names(succeeded(results[at])), ["packages/app/node_modules/left-pad/index.js"]);
  }
});

Deno.test("a link to itself is a skipped entry, and an ignore rule with a trailing slash is for directories alone", async () => {
  await using dir = await tempDir();
  await dir.write(".gitignore", "node_modules/\n*.log/\n");
  await Deno.symlink("node_modules", dir.join("node_modules"));
  await dir.write("src/a.ts", "needle\n");
  await dir.write("sub/node_modules/b.ts", "needle\n");
  await dir.write("app.log", "needle\n");
  await dir.write("real/c.ts", "needle\n");
  await Deno.mkdir(dir.join("deep"));
  // a link of that name is no directory to git, so the rule does not hold for it
  await Deno.symlink("../real", dir.join("deep/node_modules"));
  const { results } = await runCalls(dir.path, [
    grep("needle"),
    grep("needle", { follow: true }),
    glob("**/*.ts"),
    glob("**/*.ts", { include_ignored: false, follow: true }),
    ["List", { path: "." }],
    grep("needle", { path: "node_modules" }),
    ["Read", { file_path: "node_modules/x" }],
    grep("nothing-like-it", { follow: true }),
  ]);
  assert.deepEqual(names(succeeded(results[0])), ["app.log", "real/c.ts", "src/a.ts"]);
  assert.deepEqual(names(succeeded(results[1])), ["app.log", "real/c.ts", "src/a.ts"]);
  assert.deepEqual(names(succeeded(results[2])), ["real/c.ts", "src/a.ts", "sub/node_modules/b.ts"]);
  assert.deepEqual(names(succeeded(results[3])), ["real/c.ts", "src/a.ts"]);
  assert.match(succeeded(results[4]), /node_modules/);
  for (const at of [5, 6]) assert.match(failed(results[at]), /circle/);
  assert.match(succeeded(results[7]), /1 links that lead nowhere or in a circle/);
});

/** Most memory a process has held, by its own `/proc` entry. */
function peakBytes(pid: number): number {
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1];
  return Number(kib) * 1024;
}
