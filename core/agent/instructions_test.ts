import assert from "node:assert/strict";
import { join } from "node:path";
import { readInstructions } from "./instructions.ts";

async function withTree(
  files: Record<string, string>,
  body: (root: string) => void | Promise<void>,
): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir());
  try {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(join(root, path, ".."), { recursive: true });
      await Deno.writeTextFile(join(root, path), text);
    }
    await body(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const options = (root: string, start: string, max_bytes = 65_536) => ({
  start_dir: join(root, start),
  markers: [".git", ".Lumina"],
  filenames: ["AGENTS.md", "LUMINA.md"],
  fallback_dir: join(root, "user"),
  max_bytes,
});
const names = (root: string, files: { path: string }[]) =>
  files.map(({ path }) => path.slice(root.length + 1));

Deno.test("instructions come from the marked parent down to the start, and LUMINA.md is last in its directory", async () => {
  await withTree({
    "AGENTS.md": "outside the project",
    "repo/.git/HEAD": "",
    "repo/LUMINA.md": "root lumina",
    "repo/AGENTS.md": "\uFEFFroot agents",
    "repo/a/AGENTS.md": "a agents",
    "repo/a/b/LUMINA.md": "b lumina",
    "repo/a/c/AGENTS.md": "not on the way",
  }, (root) => {
    const { files, warnings } = readInstructions(options(root, "repo/a/b"));
    assert.deepEqual(names(root, files), [
      "repo/AGENTS.md",
      "repo/LUMINA.md",
      "repo/a/AGENTS.md",
      "repo/a/b/LUMINA.md",
    ]);
    assert.equal(files[0]?.text, "root agents", "a byte order mark is not part of the text");
    assert.deepEqual(warnings, []);
  });
});

Deno.test("without a marked parent only the start directory counts", async () => {
  await withTree({ "AGENTS.md": "outer", "x/AGENTS.md": "inner" }, (root) => {
    assert.deepEqual(names(root, readInstructions(options(root, "x")).files), ["x/AGENTS.md"]);
  });
});

Deno.test("the user's instructions serve only where the project has none", async () => {
  await withTree({ "user/AGENTS.md": "mine", "x/keep": "", "y/AGENTS.md": "theirs" }, (root) => {
    assert.deepEqual(names(root, readInstructions(options(root, "x")).files), ["user/AGENTS.md"]);
    assert.deepEqual(names(root, readInstructions(options(root, "y")).files), ["y/AGENTS.md"]);
  });
});

Deno.test("over the budget the nearest text stays whole, the outer one is cut, and a warning says so", async () => {
  await withTree({ "r/.git/x": "", "r/AGENTS.md": "äöü".repeat(100), "r/s/AGENTS.md": "near" }, (root) => {
    const { files, warnings } = readInstructions(options(root, "r/s", 25));
    assert.deepEqual(
      files.map(({ text }) => text),
      ["äöü".repeat(3) + "ä", "near"],
      "no character is cut in two",
    );
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? "", /r\/AGENTS\.md was cut from 600 to 21 bytes.*project_doc_max_bytes/);
  });
});

Deno.test("an instruction file that links out of the project is not read", async () => {
  await withTree({ "secret": "key", "r/.git/x": "" }, async (root) => {
    await Deno.symlink(join(root, "secret"), join(root, "r/AGENTS.md"));
    const { files, warnings } = readInstructions(options(root, "r"));
    assert.deepEqual(files, []);
    assert.match(warnings[0] ?? "", /link out of the project/);
  });
});
