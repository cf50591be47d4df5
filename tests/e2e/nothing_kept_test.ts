import assert from "node:assert/strict";
import { runLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";

const MODEL = ["--model", "m", "--api-key", "k"];

Deno.test("a command line or a rule that is wrong keeps no session", async () => {
  await using app = await tempDir();
  const options = { app_root: app.path };
  const wrong = async (args: string[], pattern: RegExp) => {
    const run = await runLumina([...args, ...MODEL], options);
    assert.equal(run.code, 2, run.stderr);
    assert.match(run.stderr, pattern);
  };
  await wrong(["-p", "   "], /No prompt/);
  await wrong(["-p", "hi", "--allowed-tools", "Bash(ls"], /bracket/);
  await wrong(["-p", "hi", "--add-dir", app.join("absent")], /--add-dir/);
  await app.write("config/settings.json", '{ "permissions": { "deny": [5] } }');
  await wrong(["-p", "hi"], /settings\.json:1/);
  await app.write("config/settings.json", "{}");
  const list = await runLumina(["--list", "--json"], options);
  assert.equal(list.stdout, "[]\n", list.stderr);
});
