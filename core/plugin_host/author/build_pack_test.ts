import assert from "node:assert/strict";
import { LuminaError, sha256 } from "../../base/mod.ts";
import { PACK_TEMPLATES } from "../../../tests/support/sample_packs.ts";
import { tempDir } from "../../../tests/support/temp_dir.ts";
import type { TempDir } from "../../../tests/support/temp_dir.ts";
import { buildPack } from "./build_pack.ts";
import { stopBundler } from "./bundler.ts";
import { typeProblems } from "./check_types.ts";
import { newPack } from "./new_pack.ts";

const make = (name: string, directory: string, kind = "tools") =>
  newPack({
    kind,
    name,
    directory,
    ...PACK_TEMPLATES,
    toolOwner: (tool) => (tool === "Read" ? "tools_fs" : undefined),
  });

async function fails(promise: Promise<unknown>, code: string, exit: number, words: RegExp): Promise<void> {
  const error = await promise.then(() => undefined, (reason: unknown) => reason);
  assert.ok(error instanceof LuminaError, `expected ${code}, got ${error}`);
  assert.deepEqual([error.code, error.exit], [code, exit], error.message);
  assert.match(error.message, words);
}

Deno.test("a new pack has its own names everywhere, and never replaces a file", async () => {
  await using dir = await tempDir();
  const files = await make("word-list_2", dir.join("deep/words"));
  assert.deepEqual(files, [
    ".gitignore",
    "README.md",
    "lumina.d.ts",
    "manifest.json",
    "manifest.schema.json",
    "package.json",
    "src/mod.ts",
    "tests/call_tool.ts",
    "tests/mod_test.ts",
  ]);
  for (const file of files) {
    assert.doesNotMatch(await dir.read(`deep/words/${file}`), /sample[_-]?pack|Sample pack/i, file);
  }
  const manifest = JSON.parse(await dir.read("deep/words/manifest.json"));
  assert.deepEqual([manifest.id, manifest.title], ["word-list_2", "Word list 2"]);
  assert.equal(manifest.contributes.tools[0].name, "WordList2");
  assert.match(await dir.read("deep/words/package.json"), /"lumina-plugin-word-list-2"/);

  await fails(make("words", dir.join("deep/words")), "plugin.exists", 5, /not empty/);
  await fails(make("words", dir.join("deep/words/README.md")), "plugin.exists", 5, /is a file/);
  await fails(make("Word List", dir.join("a")), "plugin.name", 2, /for example word_list$/);
  await fails(make("read", dir.join("b")), "plugin.name", 2, /tools_fs/);
  await fails(
    make("words", dir.join("c"), "skills"),
    "plugin.no_engine",
    2,
    /kind skills, only of tools and hooks/,
  );
  await fails(make("words", dir.join("d"), "tool"), "plugin.kind", 2, /did you mean tools\?/);
  assert.deepEqual(await Array.fromAsync(Deno.readDir(dir.path), ({ name }) => name), ["deep"]);
});

Deno.test("a build", async (t) => {
  await using dir = await tempDir();
  const directory = dir.join("words");
  await make("words", directory);
  await Deno.writeTextFile(`${directory}/LICENSE`, "do as you like\n");

  await t.step("is a module, a manifest with the hashes of all files, and what people read", async () => {
    const built = await buildPack({ directory });
    assert.deepEqual(built.problems, []);
    assert.deepEqual(built.types, { kind: "skipped", reason: "no Deno was found on the PATH" });
    const names = (await Array.fromAsync(Deno.readDir(built.out), ({ name }) => name)).sort();
    assert.deepEqual(names, ["LICENSE", "README.md", "manifest.json", "mod.js", "package.json"]);
    const { integrity, $schema } = JSON.parse(await Deno.readTextFile(`${built.out}/manifest.json`));
    for (const name of names.filter((name) => name !== "manifest.json")) {
      assert.equal(integrity[name], sha256(await Deno.readTextFile(`${built.out}/${name}`)), name);
    }
    assert.equal($schema, undefined, "the schema stays with the sources");
    const published = JSON.parse(await Deno.readTextFile(`${built.out}/package.json`));
    assert.deepEqual(published, {
      name: "lumina-plugin-words",
      version: "0.1.0",
      description: "Counts the words of a text.",
      type: "module",
      keywords: ["lumina-plugin"],
    });
  });

  await t.step("that is made again is byte for byte the same", async () => {
    const again = await buildPack({ directory, out: dir.join("again") });
    assert.deepEqual(await contents(again.out), await contents(`${directory}/dist`));
  });

  await t.step("that fails leaves the last one, and says where", async () => {
    const before = await contents(`${directory}/dist`);
    const source = await dir.read("words/src/mod.ts");
    await dir.write("words/src/mod.ts", `import "./gone.ts";\n${source}`);
    const { problems } = await buildPack({ directory });
    assert.equal(problems.length, 1);
    assert.match(problems[0]!, /^src\/mod\.ts:1:8: Cannot find "\.\/gone\.ts"/);
    assert.deepEqual(await contents(`${directory}/dist`), before);
    await dir.write("words/src/mod.ts", source);
  });

  await t.step("never replaces what is no build", async () => {
    await dir.write("other/notes.txt", "mine");
    await fails(buildPack({ directory, out: dir.join("other") }), "plugin.exists", 5, /not empty/);
    await fails(buildPack({ directory, out: directory }), "plugin.exists", 5, /holds the pack itself/);
    await fails(buildPack({ directory, out: dir.path }), "plugin.exists", 5, /holds the pack itself/);
    assert.equal(await dir.read("other/notes.txt"), "mine");
  });

  await t.step("checks the types with a Deno, and names each problem with its place", async () => {
    const deno = Deno.execPath();
    await replace(
      dir,
      "words/src/mod.ts",
      "import type",
      'import { sep } from "node:path";\nsep;\nimport type',
    );
    assert.deepEqual((await buildPack({ directory, deno })).types, { kind: "checked" });
    await replace(dir, "words/src/mod.ts", 'content: ""', "content: 12");
    const { problems, types } = await buildPack({ directory, deno });
    assert.equal(types.kind, "failed");
    assert.match(problems[0]!, /^src\/mod\.ts:\d+:\d+: Type 'number' is not assignable .*\(TS2322\)$/);
    const missing = await buildPack({ directory, deno: dir.join("no-deno") });
    assert.equal(missing.types.kind, "skipped");
    await Deno.mkdir(`${directory}/node_modules`);
    const untyped = await buildPack({ directory, deno });
    assert.deepEqual(untyped.problems, []);
    assert.match(untyped.types.kind === "skipped" ? untyped.types.reason : "", /npm install .* @types\/node/);
  });

  await t.step("needs sources and a manifest that can run", async () => {
    await fails(buildPack({ directory: dir.path }), "plugin.not_found", 4, /no manifest\.json/);
    await replace(dir, "words/manifest.json", '"api": 1', '"api": 1,,');
    await fails(buildPack({ directory }), "plugin.manifest", 1, /line 5 column/);
    await replace(dir, "words/manifest.json", '"api": 1,,', '"api": 2');
    await fails(buildPack({ directory }), "plugin.api", 1, /words/);
    await replace(dir, "words/manifest.json", '"api": 2', '"api": 1');
    await Deno.rename(`${directory}/src/mod.ts`, `${directory}/src/other.ts`);
    await fails(buildPack({ directory }), "plugin.no_source", 4, /src\/mod\.ts/);
  });
  await stopBundler();
});

Deno.test("type problems are one line each, with the place of their own and not of what they refer to", () => {
  const output = `TS2322 [ERROR]: Type 'a' is not assignable to type 'b'.
  Property 'content' is missing.
const x = 1;
      ~
    at file:///p/src/mod.ts:3:59

    'content' is declared here.
        at file:///p/lumina.d.ts:169:3
TS2305 [ERROR]: Second.
    at file:///p/src/my%20file.ts:1:2

Found 2 errors.
`;
  assert.deepEqual(typeProblems(output, "/p"), [
    "src/mod.ts:3:59: Type 'a' is not assignable to type 'b'. (TS2322)",
    "src/my file.ts:1:2: Second. (TS2305)",
  ]);
  assert.deepEqual(typeProblems("error: odd\n  words\n", "/p"), ["types: error: odd words"]);
});

async function contents(directory: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const { name } of Deno.readDir(directory)) {
    files[name] = await Deno.readTextFile(`${directory}/${name}`);
  }
  return files;
}

async function replace(dir: TempDir, file: string, from: string, to: string): Promise<void> {
  const text = await dir.read(file);
  assert.ok(text.includes(from), `${file} has no ${from}`);
  await dir.write(file, text.replace(from, to));
}
