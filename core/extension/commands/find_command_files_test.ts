import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { findCommandFiles } from "./find_command_files.ts";
import { findOutputStyles } from "./output_style.ts";
import { positionalArguments } from "./positional_arguments.ts";

async function withFiles(
  files: Record<string, string>,
  body: (root: string) => Promise<void>,
): Promise<void> {
  const root = await Deno.realPath(await Deno.makeTempDir({ prefix: "lumina-commands-" }));
  try {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(dirname(join(root, path)), { recursive: true });
      await Deno.writeTextFile(join(root, path), text);
    }
    await body(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

Deno.test("findCommandFiles() names files by their folders, and the first place that has a name counts", async () => {
  await withFiles({
    "a/one.md": "# The first\n\nDo it.\n",
    "a/git/pull/request.md":
      "\uFEFF---\r\ndescription: Opens one\r\nargument-hint: [number]\r\n---\r\nOpen $1\r\n",
    "a/.hidden.md": "no",
    "a/notes.txt": "no",
    "b/ONE.md": "the second",
    "b/two.md":
      "---\nallowed-tools: Read, Bash(git *)\nmodel: inherit\ndisable-model-invocation: true\n---\ntwo",
  }, async (root) => {
    const { commands, problems } = await findCommandFiles([
      { source: "project", directory: join(root, "a"), within: root },
      { source: "user", directory: join(root, "b") },
      { source: "user", directory: join(root, "none") },
    ]);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      commands.map(({ name, source, description, argument_hint }) => [
        name,
        source,
        description,
        argument_hint,
      ]),
      [
        ["git:pull:request", "project", "Opens one", "[number]"],
        ["one", "project", "The first", ""],
        ["two", "user", "two", ""],
      ],
    );
    assert.equal(commands[0]?.body, "Open $1\n");
    assert.deepEqual(commands[2]?.allowed_tools, ["Read", "Bash(git *)"]);
    assert.equal(commands[2]?.model, undefined);
  });
});

Deno.test("findCommandFiles() tells what is broken with file and line, and leaves that out alone", async () => {
  await withFiles({
    "c/good.md": "fine",
    "c/empty.md": "---\ndescription: x\n---\n\n",
    "c/open.md": "---\ndescription: x\n",
    "c/bad name.md": "x",
    "c/effort.md": "---\ndescription: x\neffort: enormous\n---\nx",
    "outside.md": "x",
  }, async (root) => {
    await Deno.symlink(join(root, "outside.md"), join(root, "c", "link.md"));
    await Deno.writeFile(join(root, "c", "latin.md"), new Uint8Array([0xe9, 0x20]));
    const { commands, problems } = await findCommandFiles([
      { source: "project", directory: join(root, "c"), within: join(root, "c") },
    ]);
    assert.deepEqual(commands.map(({ name }) => name), ["good"]);
    const told = new Map(
      problems.map(({ file, line, message }) => [file.slice(root.length + 3), [line, message]]),
    );
    assert.match(String(told.get("bad name.md")), /rename it/);
    assert.deepEqual(told.get("empty.md")?.[0], 4);
    assert.deepEqual(told.get("open.md"), [1, "the front matter that begins here has no closing ---"]);
    assert.deepEqual(told.get("effort.md")?.[0], 3);
    assert.match(String(told.get("latin.md")), /not UTF-8/);
    assert.match(String(told.get("link.md")), /leads out of/);
    assert.equal(problems.length, 6);
  });
});

Deno.test("findCommandFiles() takes a pack's files by their own names", async () => {
  await withFiles({ "p/commands/deep/go.md": "go" }, async (root) => {
    const { commands } = await findCommandFiles([
      {
        source: "pack",
        directory: join(root, "p"),
        files: ["commands/deep/go.md"],
        pack: "p",
        within: join(root, "p"),
      },
    ]);
    assert.deepEqual(commands.map(({ name, pack }) => [name, pack]), [["go", "p"]]);
  });
});

Deno.test("positionalArguments() counts from $1, unless the file counts from $0", () => {
  assert.equal(
    positionalArguments("$1, $2 and $12; $1.50"),
    "$ARGUMENTS[0], $ARGUMENTS[1] and $ARGUMENTS[11]; $1.50",
  );
  assert.equal(positionalArguments("$0 and $1"), "$0 and $1");
});

Deno.test("findOutputStyles() reads the styles of folders, the first of a name counts, a broken one is told", async () => {
  await withFiles({
    "x/a.md": "---\nname: Plain\ndescription: Short\n---\n\nWrite short sentences.\n",
    "x/bare.md": "Only a text.",
    "x/none.md": "---\nname: none\n---\n",
    "y/plain.md": "---\nname: plain\n---\nanother",
  }, async (root) => {
    await Deno.symlink(join(root, "y/plain.md"), join(root, "x/secret.md"));
    await Deno.symlink("/dev/zero", join(root, "y/zero.md"));
    const { styles, problems } = await findOutputStyles([
      { directory: join(root, "x"), within: join(root, "x") },
      { directory: join(root, "y") },
      { directory: join(root, "z") },
    ]);
    assert.deepEqual(styles.map(({ name, text }) => [name, text]), [
      ["Plain", "Write short sentences."],
      ["bare", "Only a text."],
    ]);
    assert.deepEqual(problems.map(({ message }) => message), [
      "it has no text",
      `the link leads out of ${join(root, "x")}: it is not used`,
      "it is no plain file",
    ]);
  });
});
