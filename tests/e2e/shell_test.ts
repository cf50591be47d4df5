import assert from "node:assert/strict";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import { findSandbox } from "../support/find_sandbox.ts";
import { runLumina } from "../support/run_lumina.ts";
import { testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";
import type { TempDir } from "../support/temp_dir.ts";

interface Result {
  content: string;
  is_error?: boolean;
}

/** Runs the commands one a turn and gives what the model saw of each. */
async function shell(
  dir: TempDir,
  commands: readonly (string | { command: string; [key: string]: string | number | boolean })[],
  flags: string[],
  settings = "{}",
): Promise<Result[]> {
  await using provider = await startScriptedProvider({
    turns: [
      ...commands.map((command) => ({
        tool_calls: [{ name: "Bash", input: typeof command === "string" ? { command } : command }],
      })),
      { text: "done" },
    ],
  });
  await using app = await tempDir();
  const args = ["-p", "go", "--output-format", "stream-json", "--model", "m", "--api-key", "k"];
  args.push("--base-url", provider.url, "--settings", await app.write("extra.json", settings), ...flags);
  const run = await runLumina(args, { cwd: dir.path, app_root: app.path });
  assert.equal(run.code, 0, run.stderr + run.stdout);
  return run.stdout.trimEnd().split("\n").map((line) => JSON.parse(line))
    .filter((line) => line.type === "user").map((line) => line.message.content[0]);
}

Deno.test("the working directory carries over between calls, and rules are judged from there", async () => {
  await using dir = await tempDir();
  await dir.write("sub/secret.txt", "keep");
  const [moved, where, refused, allowed, back] = await shell(
    dir,
    ["cd sub", "pwd", "echo x > secret.txt", "echo y > other.txt", "cd / && pwd"],
    ["--yolo", "--disallowed-tools", "Edit(/sub/secret.txt)"],
  );
  assert.ok(!moved?.is_error);
  assert.match(where?.content ?? "", /\/sub$/m);
  assert.equal(refused?.is_error, true);
  assert.match(refused?.content ?? "", /secret\.txt/);
  assert.ok(!allowed?.is_error);
  assert.equal(await dir.read("sub/secret.txt"), "keep");
  assert.equal(await dir.read("sub/other.txt"), "y\n");
  assert.match(back?.content ?? "", /^\/$/m);
});

Deno.test("shell_timeout_seconds limits a command that names no limit; shell_on_timeout ends it, and its output is kept", async () => {
  await using dir = await tempDir();
  const settings = '{ "shell_timeout_seconds": 1, "shell_on_timeout": "end" }';
  const [result] = await shell(dir, ["echo begun; sleep 60"], ["--yolo"], settings);
  assert.equal(result?.is_error, true);
  assert.match(result?.content ?? "", /Timed out after 1 s/);
  assert.match(result?.content ?? "", /begun/);
});

Deno.test("more than twenty minutes is refused with the way out", async () => {
  await using dir = await tempDir();
  const [result] = await shell(dir, [{ command: "true", timeout: 1_200_001 }], ["--yolo"]);
  assert.equal(result?.is_error, true);
  assert.match(result?.content ?? "", /20 minutes.*run_in_background/);
});

testWith(
  "mode auto runs commands under bubblewrap: the workspace can be written, nothing else, and there is no network",
  await findSandbox(),
  async () => {
    await using dir = await tempDir();
    const [inside, escape, net] = await shell(dir, [
      "echo x > made.txt && cat made.txt",
      "f=lumina-escape; cd $HOME && echo x > $f",
      "exec 3<>/dev/tcp/127.0.0.1/9",
    ], ["--permission-mode", "auto"]);
    assert.deepEqual([inside?.content.trim(), inside?.is_error ?? false], ["x", false]);
    assert.equal(await dir.read("made.txt"), "x\n");
    assert.equal(escape?.is_error, true);
    assert.equal(net?.is_error, true);
    await assert.rejects(Deno.stat(`${Deno.env.get("HOME")}/lumina-escape`), Deno.errors.NotFound);
  },
);
