import assert from "node:assert/strict";
import { runLumina, startLumina } from "./run_lumina.ts";
import { tempDir } from "./temp_dir.ts";

async function script(
  dir: { write(path: string, text: string): Promise<string> },
  text: string,
): Promise<string> {
  const path = await dir.write("program", `#!/bin/sh\n${text}\n`);
  await Deno.chmod(path, 0o755);
  return path;
}

Deno.test("runLumina() gives exit code and both outputs, and the run sees its own AppRoot and no other variables", async () => {
  await using dir = await tempDir();
  const artifact = await script(
    dir,
    'cat; echo "$1" >&2; env | cut -d= -f1 | sort >names; echo "$LUMINA_APP_ROOT"; exit 3',
  );
  const run = await runLumina(["--flag"], { artifact, cwd: dir.path, stdin: "in\n", env: { EXTRA: "1" } });
  const [echoed, app_root] = run.stdout.split("\n");
  assert.deepEqual([run.code, echoed, run.stderr], [3, "in", "--flag\n"]);
  await assert.rejects(Deno.stat(app_root ?? ""), Deno.errors.NotFound);
  const names = (await dir.read("names")).trim().split("\n");
  assert.ok(names.includes("EXTRA") && names.includes("PATH"));
  assert.ok(!names.some((name) => name.startsWith("DENO_NO") || name === "INIT_CWD"), String(names));
});

Deno.test("startLumina() gives lines as they come, and disposing ends a run that never would", async () => {
  await using dir = await tempDir();
  const artifact = await script(dir, "echo ready; read answer; echo $answer; exec sleep 1000");
  const run = await startLumina([], { artifact, cwd: dir.path });
  const seen: string[] = [];
  for await (const line of run.lines()) {
    seen.push(line);
    if (line === "ready") await run.write("yes\n");
    else break;
  }
  assert.deepEqual(seen, ["ready", "yes"]);
  await run[Symbol.asyncDispose]();
  const { code, stdout } = await run.finished;
  assert.deepEqual([code, stdout], [137, "ready\nyes\n"]);
});
