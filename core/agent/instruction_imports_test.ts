import assert from "node:assert/strict";
import { join } from "node:path";
import { findImports } from "./instruction_imports.ts";
import { readInstructions } from "./instructions.ts";

Deno.test("findImports() sees mentions between words, and none in code spans, fences and addresses", () => {
  const text = [
    "See @docs/a.md, @./b and (@~/c.md). Ask @alice or me@example.com.",
    "Not `@code/d.md` nor ``a ` @e.md``.",
    "```ts",
    '@Decorator() import "@scope/f.md"',
    "~~~",
    "```",
    "@with\\ space.md twice: @docs/a.md",
  ].join("\n");
  assert.deepEqual(findImports(text), [
    { path: "docs/a.md", certain: true },
    { path: "./b", certain: true },
    { path: "~/c.md", certain: true },
    { path: "alice", certain: false },
    { path: "with space.md", certain: true },
  ]);
});

async function inTree(files: Record<string, string>, body: (root: string) => void): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  try {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(join(root, path, ".."), { recursive: true });
      await Deno.writeTextFile(join(root, path), text);
    }
    body(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const read = (root: string, more: Partial<Parameters<typeof readInstructions>[0]> = {}) => {
  const { files, warnings } = readInstructions({
    start_dir: join(root, "w"),
    markers: [".git"],
    filenames: ["AGENTS.md"],
    fallback_dir: join(root, "own"),
    max_bytes: 65_536,
    home: join(root, "home"),
    ...more,
  });
  return { paths: files.map(({ path }) => path.slice(root.length + 1)), warnings };
};

Deno.test("what is imported stands before its importer, each file once; a circle, a missing file and the sixth level are told once", async () => {
  const chain = Object.fromEntries(
    [1, 2, 3, 4, 5, 6].map((n) => [`w/c${n}.md`, n === 6 ? "end" : `level ${n} @c${n + 1}.md`]),
  );
  await inTree({
    ...chain,
    "w/AGENTS.md": "@a.md @b.md @gone.md @nobody @c1.md",
    "w/a.md": "@b.md @AGENTS.md",
    "w/b.md": "b",
  }, (root) => {
    const { paths, warnings } = read(root);
    assert.deepEqual(paths.slice(0, 2), ["w/b.md", "w/a.md"]);
    assert.equal(paths.at(-1), "w/AGENTS.md");
    assert.deepEqual(paths.filter((path) => /c\d/.test(path)), [
      "w/c5.md",
      "w/c4.md",
      "w/c3.md",
      "w/c2.md",
      "w/c1.md",
    ]);
    assert.equal(warnings.length, 3, warnings.join("\n"));
    assert.match(warnings.join("\n"), /imports @AGENTS\.md, which imports it again/);
    assert.match(warnings.join("\n"), /imports @gone\.md, which is not there/);
    assert.match(warnings.join("\n"), /imports @c6\.md more than 5 levels deep/);
  });
});

Deno.test("a project's file imports from outside only where the user allows it, also through a link; the user's own file from anywhere", async () => {
  await inTree({
    "home/x/shared.md": "shared",
    "secret.md": "key",
    "w/.env": "KEY=1",
    "w/AGENTS.md": "@~/x/shared.md @link.md @.env",
    "own/AGENTS.md": "@../secret.md",
  }, (root) => {
    Deno.symlinkSync(join(root, "secret.md"), join(root, "w/link.md"));
    const closed = read(root);
    assert.deepEqual(closed.paths, ["w/AGENTS.md"]);
    assert.equal(closed.warnings.filter((text) => text.includes("project_doc_import_dirs")).length, 2);
    assert.match(closed.warnings.join("\n"), /\/\.env may hold secrets and was not read/);
    const open = read(root, { import_dirs: [join(root, "home/x")] });
    assert.deepEqual(open.paths, ["home/x/shared.md", "w/AGENTS.md"]);
    Deno.removeSync(join(root, "w/AGENTS.md"));
    const own = read(root);
    assert.deepEqual([own.paths.length, own.warnings], [2, []]);
  });
});
