import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { onlyWhere } from "../../tests/support/skip.ts";
import { TreeWalk } from "./walk.ts";
import type { WalkCounts, WalkOptions } from "./walk.ts";

/** A tree in a temporary folder: text is a file, `->x` a link to x; a path with a final slash is a folder. */
async function withTree(files: Record<string, string>, run: (root: string) => Promise<void>): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "lumina-walk-" }));
  try {
    for (const [path, content] of Object.entries(files)) {
      const full = join(root, path);
      await Deno.mkdir(path.endsWith("/") ? full : dirname(full), { recursive: true });
      if (content.startsWith("->")) await Deno.symlink(content.slice(2).replace("$ROOT", root), full);
      else if (!path.endsWith("/")) await Deno.writeTextFile(full, content);
    }
    await run(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

async function list(
  root: string,
  options: Partial<WalkOptions> = {},
): Promise<{ files: string[]; counts: WalkCounts }> {
  const walk = new TreeWalk({ root, read_roots: [root], honour_ignores: true, ...options });
  const files: string[] = [];
  for await (const batch of walk.batches()) {
    for (const entry of batch) {
      files.push(entry.path.slice(root.length + 1) + (entry.directory ? "/" : ""));
    }
  }
  return { files, counts: walk.counts };
}

Deno.test("A walk goes depth first in the order of names and never into .git", () =>
  withTree({ "b.txt": "", "a/z": "", "a/b/c": "", ".git/HEAD": "", "B": "" }, async (root) => {
    const { files, counts } = await list(root);
    assert.deepEqual(files, ["B", "a/", "a/b/", "a/b/c", "a/z", "b.txt"]);
    assert.equal(counts.files, 4);
    assert.equal(counts.directories, 2);
  }));

Deno.test("Links are counted and not followed by default", () =>
  withTree(
    { "loop/child": "->..", "a/to_b": "->../b", "b/to_a": "->../a", "b/x": "", "l": "->b/x" },
    async (root) => {
      const { files, counts } = await list(root);
      assert.deepEqual(files, ["a/", "b/", "b/x", "loop/"]);
      assert.equal(counts.links, 4);
    },
  ));

Deno.test("Following links ends in circles and visits each real directory once, under its real name", () =>
  withTree(
    { "loop/child": "->..", "a/to_b": "->../b", "b/to_a": "->../a", "b/x": "", "self": "->." },
    async (root) => {
      const { files, counts } = await list(root, { follow: true });
      assert.deepEqual(files, ["a/", "b/", "b/x", "loop/"]);
      assert.equal(counts.links_repeated, 4);
    },
  ));

Deno.test("Following links reaches a directory that only a link leads to, with rules judged at the link's name", () =>
  withTree({
    "store/pkg/index.js": "",
    "store/pkg/a.log": "",
    "app/pkg": "->../store/pkg",
    "app/.gitignore": "*.log\n",
  }, async (root) => {
    const { files } = await list(join(root, "app"), { read_roots: [root], follow: true });
    assert.deepEqual(files, [".gitignore", "pkg/", "pkg/index.js"]);
  }));

Deno.test("A link that points at itself and one that points nowhere are counted, not thrown", () =>
  withTree({ "node_modules": "->node_modules", "gone": "->missing", "x": "" }, async (root) => {
    const { files, counts } = await list(root, { follow: true });
    assert.deepEqual(files, ["x"]);
    assert.equal(counts.links_broken, 2);
  }));

Deno.test("A followed link never leaves the read roots and never enters what a deny rule closes", () =>
  withTree({
    "ws/out": "->$ROOT/outside",
    "ws/key": "->secret/key",
    "ws/secret/key": "",
    "outside/file": "",
    "ws/a": "",
  }, async (root) => {
    const ws = join(root, "ws");
    const { files, counts } = await list(ws, {
      follow: true,
      denied: (path) => path.startsWith(join(ws, "secret")),
    });
    assert.deepEqual(files, ["a"]);
    assert.equal(counts.links_outside, 2);
    assert.equal(counts.denied, 1);
  }));

Deno.test({
  ...onlyWhere(
    "An unreadable directory is counted and the rest is walked",
    Deno.build.os !== "windows" && Deno.uid() !== 0,
    "nothing is unreadable to root, and Windows has no mode bits",
  ),
  fn: () =>
    withTree({ "shut/x": "", "open/y": "" }, async (root) => {
      await Deno.chmod(join(root, "shut"), 0);
      try {
        const { files, counts } = await list(root);
        assert.deepEqual(files, ["open/", "open/y", "shut/"]);
        assert.equal(counts.unreadable, 1);
      } finally {
        await Deno.chmod(join(root, "shut"), 0o700);
      }
    }),
});

Deno.test("An abort ends a walk with the signal's reason", () =>
  withTree({ "a/b/c": "", "d/e": "" }, async (root) => {
    const abort = new AbortController();
    let clock = 0;
    const walk = new TreeWalk({
      root,
      read_roots: [root],
      honour_ignores: false,
      signal: abort.signal,
      mono: () => clock += 100, // every directory ends a slice
    });
    await assert.rejects(async () => {
      for await (const _ of walk.batches()) abort.abort(new Error("interrupted"));
    }, /interrupted/);
  }));

Deno.test("A root that is gone throws; a .gitignore that is a link is not read", () =>
  withTree({ ".gitignore": "->rules", "rules": "x\n", "x": "" }, async (root) => {
    await assert.rejects(list(join(root, "missing")), Deno.errors.NotFound);
    assert.deepEqual((await list(root)).files, ["rules", "x"]);
  }));
