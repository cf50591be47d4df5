import assert from "node:assert/strict";
import { join } from "node:path";
import denoJson from "../../deno.json" with { type: "json" };
import { compiledProgram } from "../support/compiled_program.ts";
import { findDenort } from "../support/denort.ts";
import { REPO_ROOT } from "../support/repo_root.ts";
import { runLumina } from "../support/run_lumina.ts";
import { testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";

const denort = await findDenort();
testWith("the compiled program says its version", denort, async ({ env }) => {
  const run = await runLumina(["--version"], { artifact: await compiledProgram(env) });
  assert.deepEqual(run, { code: 0, stdout: `${denoJson.version}\n`, stderr: "" });
});

testWith("the compiled program leaves nothing in the temporary folder", denort, async ({ env }) => {
  await using tmp = await tempDir();
  const run = await runLumina(["--list"], {
    artifact: await compiledProgram(env),
    env: { TMPDIR: tmp.path },
  });
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual(await Array.fromAsync(Deno.readDir(tmp.path)), []);
});

testWith("the compiled program prints its help", denort, async ({ env }) => {
  const run = await runLumina(["--help"], { artifact: await compiledProgram(env) });
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stdout, /^Usage: lumina /m);
  assert.match(run.stdout, /--output-format/);
});

testWith(
  "`lumina backend` and the link `lumina-backend` reach the same commands",
  denort,
  async ({ env }) => {
    const program = await compiledProgram(env);
    await using dir = await tempDir();
    const link = dir.join("lumina-backend");
    await Deno.symlink(program, link);
    const linked = await runLumina(["--help"], { artifact: link });
    const command = await runLumina(["backend", "--help"], { artifact: program });
    assert.equal(linked.code, 0, linked.stderr);
    assert.match(linked.stdout, /^Usage: lumina-backend /m);
    assert.deepEqual(command, linked);
  },
);

testWith(
  "the compiled program does the demo, its plugins in narrowed workers, on both wires",
  denort,
  async ({ env }) => {
    const program = await compiledProgram(env);
    for (const wire of ["anthropic", "openai"]) {
      const demo = await new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--quiet",
          join(REPO_ROOT, "scripts/demo.ts"),
          "--artifact",
          program,
          "--wire",
          wire,
        ],
      }).output();
      const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      assert.equal(demo.code, 0, text(demo.stdout) + text(demo.stderr));
      assert.match(text(demo.stdout), /^Test {6}all tests pass$/m);
    }
  },
);
