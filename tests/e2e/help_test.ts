import assert from "node:assert/strict";
import { runLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("a command without its subcommand shows what it offers, exit 2", async () => {
  for (const name of ["config", "dev", "permission"]) {
    const run = await runLumina([name]);
    assert.equal(run.code, 2);
    assert.equal(run.stdout, "");
    assert.match(run.stderr, new RegExp(`^Usage: lumina ${name} `));
    assert.doesNotMatch(run.stderr, /^lumina:/m);
  }
});

Deno.test("help and help COMMAND print what --help prints, exit 0", async () => {
  for (
    const [words, flags] of [[["help"], ["--help"]], [["help", "config"], ["config", "--help"]]] as const
  ) {
    const [one, other] = [await runLumina([...words]), await runLumina([...flags])];
    assert.equal(one.code, 0, one.stderr);
    assert.equal(one.stdout, other.stdout);
    assert.notEqual(one.stdout, "");
  }
});

Deno.test("help of a command that there is not says so, and a flag of another agent is told by its name here", async () => {
  for (const words of [["help", "permissions"], ["permission", "help", "show"]]) {
    const run = await runLumina(words);
    assert.equal(run.code, 2);
    assert.ok(
      run.stderr.endsWith(
        `lumina: there is no command "${words.at(-1)}"; those that there are stand above\n`,
      ),
    );
  }
  const run = await runLumina(["-p", "hi", "--dangerously-skip-permissions"]);
  assert.equal(run.code, 2);
  assert.match(run.stderr, /did you mean --yolo\?/);
});

Deno.test("a flag whose partner is missing is refused before anything runs, exit 2", async () => {
  const json = await runLumina(["-p", "hi", "--json"]);
  assert.equal(json.code, 2);
  assert.match(json.stderr, /--json goes with --list.*--output-format json/);
  const replay = await runLumina(["-p", "hi", "--replay-user-messages"]);
  assert.equal(replay.code, 2);
  assert.match(replay.stderr, /--replay-user-messages needs --input-format stream-json/);
});

Deno.test("--cwd and --permission-mode mean the same before and after a command", async () => {
  await using dir = await tempDir();
  await dir.write(".Lumina/CONFIG/defaults.json", '{ "effort": "low" }');
  for (const args of [["--cwd", dir.path, "config", "list"], ["config", "list", "--cwd", dir.path]]) {
    const run = await runLumina(args);
    assert.match(run.stdout, /^effort = "low" {2}\(.*defaults\.json/m, run.stderr);
  }
  const flags = ["--cwd", dir.path, "--permission-mode", "plan"];
  const explain = ["permission", "explain", "Edit(a.txt)"];
  for (const args of [[...flags, ...explain], [...explain, ...flags]]) {
    const { stdout } = await runLumina(args);
    assert.match(stdout, /^mode plan$/m);
    assert.ok(stdout.includes(dir.join("a.txt")), stdout);
  }
});
