import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { compiledProgram } from "../support/compiled_program.ts";
import { findDenort } from "../support/denort.ts";
import { runLumina, startLumina } from "../support/run_lumina.ts";
import { testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";
import type { TempDir } from "../support/temp_dir.ts";

const TEMPLATES = fileURLToPath(new URL("../../resources/plugin_template/", import.meta.url));
/** What the test of a kind is beside the sources, and how many rows its check has. */
const KINDS = { tools: ["tests/call_tool.ts", 9], hooks: ["tests/call_hook.ts", 10] } as const;

/** From nothing to a checked pack, with whichever program. */
async function newToChecked(dir: TempDir, kind: "tools" | "hooks", artifact?: string): Promise<void> {
  const run = (...args: string[]) =>
    runLumina(args, { cwd: dir.path, ...(artifact === undefined ? {} : { artifact }) });
  const made = await run("plugin", "new", kind, "words");
  const [helper, rows] = KINDS[kind];
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /^ {2}src\/mod\.ts$/m);
  // what is compiled in comes out as it was
  for (const file of ["lumina.d.ts", helper]) {
    assert.equal(await dir.read(`words/${file}`), await Deno.readTextFile(`${TEMPLATES}${kind}/${file}`));
  }
  const built = await run("plugin", "build", "words", "--json");
  assert.equal(built.code, 0, built.stderr);
  const { id, version, out, files } = JSON.parse(built.stdout);
  assert.deepEqual([id, version, out], ["words", "0.1.0", dir.join("words/dist")]);
  assert.deepEqual(Object.keys(files).sort(), ["README.md", "manifest.json", "mod.js", "package.json"]);
  const checked = await run("plugin", "check", "words");
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  assert.ok(checked.stdout.endsWith(`\n${rows} of ${rows} checks hold\n`), checked.stdout);
}

Deno.test("plugin new, build and check lead from nothing to a pack that holds", async () => {
  await using dir = await tempDir();
  await newToChecked(dir, "tools");
});

testWith(
  "they do in the compiled program, where nothing is installed beside it",
  await findDenort(),
  async ({ env }) => {
    await using dir = await tempDir();
    // that a pack of tools comes out of it too is a part of plugin_samples_test
    await newToChecked(dir, "hooks", await compiledProgram(env));
  },
);

Deno.test("what is wrong with a pack is a line with its place, and the exit code says so", async () => {
  await using dir = await tempDir();
  const run = (...args: string[]) => runLumina(["plugin", ...args], { cwd: dir.path });
  await run("new", "tools", "words");

  const again = await run("new", "tools", "other", "words");
  assert.deepEqual([again.code, again.stdout], [5, ""]);
  assert.match(again.stderr, /^lumina: \S+\/words is not empty: name another folder.*\n$/);
  const kind = await run("new", "memory", "mine");
  assert.equal(kind.code, 2);
  assert.match(
    kind.stderr,
    /^lumina: There is no template of a pack of kind memory, only of tools and hooks: .*\n$/,
  );

  const unbuilt = await run("check", "words");
  assert.equal(unbuilt.code, 1);
  assert.match(unbuilt.stderr, /^lumina: \S+\/words is not built: run lumina plugin build first\n$/);

  const source = await dir.read("words/src/mod.ts");
  await dir.write("words/src/mod.ts", `import "./a.ts";\nimport "./b.ts";\n${source}`);
  const broken = await run("build", "words");
  assert.deepEqual([broken.code, broken.stdout], [1, ""]);
  assert.match(
    broken.stderr,
    /^lumina: src\/mod\.ts:1:8: .*a\.ts.*\nlumina: src\/mod\.ts:2:8: .*b\.ts.*\nlumina: words was not built: 2 problems\n$/,
  );

  const nowhere = await run("build", "nowhere");
  assert.equal(nowhere.code, 4);
  assert.match(nowhere.stderr, /^lumina: \S+\/nowhere is no pack: it has no manifest\.json.*\n$/);
});

Deno.test("build checks types with the Deno on the PATH, and with none that the pack brings", async () => {
  await using dir = await tempDir();
  await using bin = await tempDir();
  await Deno.symlink(Deno.execPath(), bin.join("deno"));
  await runLumina(["plugin", "new", "tools", "words"], { cwd: dir.path });
  const build = (path: string) =>
    runLumina(["plugin", "build", "words"], { cwd: dir.path, env: { PATH: path } });
  await Deno.mkdir(dir.join("words/bin"));
  await Deno.symlink(Deno.execPath(), dir.join("words/bin/deno"));
  assert.match(
    (await build(dir.join("words/bin"))).stdout,
    /types not checked: no Deno was found on the PATH/,
  );
  const source = await dir.read("words/src/mod.ts");
  await dir.write("words/src/mod.ts", source.replace('content: ""', "content: 12"));
  const wrong = await build(bin.path);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /^lumina: src\/mod\.ts:\d+:\d+: Type 'number' is not assignable/);
});

Deno.test("plugin dev builds, checks and installs after each change, and ends with the signal", async () => {
  await using dir = await tempDir();
  await runLumina(["plugin", "new", "tools", "words"], { cwd: dir.path });
  await using root = await tempDir();
  await using dev = await startLumina(["plugin", "dev", "words", "--install"], {
    cwd: dir.path,
    app_root: root.path,
  });
  const lines = dev.lines()[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value;
  assert.equal(await next(), "built words 0.1.0, 9 of 9 checks hold");
  assert.equal(await next(), "words 0.1.0: installed");
  const source = await dir.read("words/src/mod.ts");
  await dir.write("words/src/mod.ts", source.replace("const counts", "const = counts"));
  assert.equal(await next(), "src/mod.ts: not built");
  assert.match((await next()) ?? "", /^ {2}src\/mod\.ts:\d+:\d+: /);
  await dir.write("words/src/mod.ts", source.replace("words\\n", "words in all\\n"));
  assert.equal(await next(), "src/mod.ts: reloaded words 0.1.0, 9 of 9 checks hold");
  assert.equal(await next(), "words 0.1.0: updated");
  assert.match(await root.read("config/plugins/words/mod.js"), /words in all/);
  dev.kill("SIGINT");
  assert.equal((await dev.finished).code, 0);
});

Deno.test("the guide is part of the program, and every command points to it", async () => {
  const guide = await runLumina(["help", "plugins"]);
  assert.equal(guide.code, 0);
  assert.match(guide.stdout, /^# Writing a plugin\n/);
  assert.match((await runLumina(["help", "plugin-manifest"])).stdout, /capabilities/);
  for (const args of [["plugin", "--help"], ["plugin", "new", "--help"]]) {
    assert.match((await runLumina(args)).stdout, /lumina help plugins/);
  }
});
