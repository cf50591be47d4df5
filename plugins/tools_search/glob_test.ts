import assert from "node:assert/strict";
import { join } from "node:path";
import { call, withTree } from "./search_testing.ts";

/** Gives each file its own time of change, the first the oldest. */
async function age(root: string, files: readonly string[]): Promise<void> {
  for (const [index, file] of files.entries()) {
    const time = 1_700_000_000 + index;
    await Deno.utime(join(root, file), time, time);
  }
}

Deno.test("Glob finds files newest first, ignored ones too, never inside .git", () =>
  withTree({
    "a.ts": "",
    "src/b.ts": "",
    "src/deep/c.ts": "",
    "dist/d.ts": "",
    ".git/e.ts": "",
    ".gitignore": "dist/\n",
  }, async (root) => {
    await age(root, ["src/b.ts", "dist/d.ts", "a.ts", "src/deep/c.ts"]);
    const find = async (input: Record<string, string | boolean>) => (await call("Glob", input, root)).content;
    assert.equal(await find({ pattern: "**/*.ts" }), "src/deep/c.ts\na.ts\ndist/d.ts\nsrc/b.ts");
    assert.equal(await find({ pattern: "**/*.ts", include_ignored: false }), "src/deep/c.ts\na.ts\nsrc/b.ts");
    assert.equal(await find({ pattern: "*.ts" }), "a.ts");
    assert.equal(await find({ pattern: "src/**/*.ts" }), "src/deep/c.ts\nsrc/b.ts");
    assert.equal(await find({ pattern: "**/*.ts", path: "src" }), "src/deep/c.ts\nsrc/b.ts");
    assert.equal(await find({ pattern: "{src,dist}/*.ts" }), "dist/d.ts\nsrc/b.ts");
    assert.equal(await find({ pattern: "src/[ab].ts" }), "src/b.ts");
    assert.equal(await find({ pattern: join(root, "src/*.ts") }), "src/b.ts");
    assert.equal(await find({ pattern: "**/.git*" }), ".gitignore");
    assert.equal(await find({ pattern: "src/b.ts" }), "src/b.ts");
    assert.equal(await find({ pattern: "./src/*.ts" }), "src/b.ts");
  }));

Deno.test("A glob that ends with / finds directories", () =>
  withTree({ "src/a/x": "", "src/b/x": "", "a": "" }, async (root) => {
    const { content } = await call("Glob", { pattern: "**/a/" }, root);
    assert.equal(content, "src/a/");
  }));

Deno.test("Glob shows the 100 newest and the number of all", () => {
  const names = Array.from({ length: 2500 }, (_, i) => `f${String(i).padStart(4, "0")}.txt`);
  return withTree(Object.fromEntries(names.map((name) => [name, ""])), async (root) => {
    await age(root, names);
    const { content, data } = await call("Glob", { pattern: "*.txt" }, root);
    const lines = content.split("\n");
    assert.deepEqual(lines.slice(0, 100), names.toReversed().slice(0, 100));
    assert.equal(lines[100], "[Showing the 100 newest of 2500 files; narrow the pattern or path]");
    assert.equal(data?.total, 2500);
  });
});

Deno.test("** ends in a tree whose links lead back to its root, each real directory once", () =>
  withTree({
    "rootfs/k3os/system/link": "->../../..",
    "rootfs/bin/sh": "",
    "rootfs/dev": "->.",
    "loop": "->loop",
  }, async (root) => {
    const plain = await call("Glob", { pattern: "**/sh" }, root);
    assert.equal(plain.content, "rootfs/bin/sh\n[Not looked at: 3 links (not followed)]");
    const followed = await call("Glob", { pattern: "**/sh", follow: true }, root);
    assert.equal(followed.content, "rootfs/bin/sh");
    assert.deepEqual((followed.data?.walk as Record<string, number>).links_repeated, 2);
  }));

Deno.test("Glob stays inside what may be read", () =>
  withTree({ "outside/x.ts": "", "ws/out": "->../outside", "ws/a.ts": "" }, async (root) => {
    const ws = join(root, "ws");
    assert.equal(
      (await call("Glob", { pattern: "**/*.ts", follow: true }, ws)).content.split("\n")[0],
      "a.ts",
    );
    for (const pattern of ["out/*.ts", "../outside/*.ts", join(root, "outside/**"), "/**/x.ts"]) {
      const { content, is_error } = await call("Glob", { pattern }, ws);
      assert.equal(is_error, true, pattern);
      assert.match(content, /outside the directories this call may read/);
    }
  }));

Deno.test("No file found says what was looked at and what to try", () =>
  withTree({ "src/a.ts": "", "l": "->src" }, async (root) => {
    const { content, is_error } = await call("Glob", { pattern: "*.rs" }, root);
    assert.equal(is_error, undefined);
    assert.equal(
      content,
      'No files match "*.rs" in .: 0 files looked at; not looked at: 1 links (not followed). ' +
        "Hints: set follow to look through links; use **/*.rs to look in subdirectories",
    );
    const missing = await call("Glob", { pattern: "lib/**/*.ts" }, root);
    assert.match(missing.content, /^Cannot search "lib": it does not exist/);
  }));

Deno.test("A deny rule hides names from Glob", () =>
  withTree({ "a.pem": "", "b.pem": "" }, async (root) => {
    const { content } = await call("Glob", { pattern: "*.pem" }, root, { deny_read: [`${root}/a.*`] });
    assert.equal(content, "b.pem\n[Not looked at: 1 entries closed by deny rules]");
  }));
