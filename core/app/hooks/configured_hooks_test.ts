import assert from "node:assert/strict";
import { loadSettings } from "../../config/mod.ts";
import { tempDir } from "../../../tests/support/temp_dir.ts";
import { settingsHooks } from "./configured_hooks.ts";
import { HookConditions } from "./hook_condition.ts";

const one = (command: string) => ({ Stop: [{ hooks: [{ type: "command", command }] }] });

Deno.test("managed hooks come first, those of the user's sources add up, and switches leave the managed ones", async () => {
  await using dir = await tempDir();
  const file = await dir.write("settings.json", JSON.stringify({ hooks: one("user") }));
  const given = await dir.write("given.json", JSON.stringify({ hooks: one("given") }));
  const managed = dir.join("managed.json");
  const load = async (more: Record<string, unknown>, env: Record<string, string> = {}) => {
    await Deno.writeTextFile(managed, JSON.stringify({ hooks: one("managed"), ...more }), { mode: 0o600 });
    return await loadSettings({
      app_root: { settingsFile: file },
      settings_file: given,
      managed: { file: managed, owner: Deno.uid() ?? 0 },
      env: { get: (name) => env[name] },
      home: dir.path,
    });
  };
  const commands = async (...args: Parameters<typeof load>) =>
    (await settingsHooks(await load(...args))).hooks.map(({ definition, source, line }) => [
      definition.type === "command" ? definition.command : "",
      source,
      line,
    ]);
  assert.deepEqual(await commands({}), [["managed", "managed", 1], ["given", "user", 1], [
    "user",
    "user",
    1,
  ]]);
  assert.equal((await load({})).settings.hooks["Stop"]?.length, 2);
  assert.deepEqual(await commands({ allowManagedHooksOnly: true }), [["managed", "managed", 1]]);
  assert.deepEqual(await commands({}, { LUMINA_DISABLE_ALL_HOOKS: "1" }), [["managed", "managed", 1]]);
});

Deno.test("a condition fits where a refusal by that rule would hold: any part of a line, and what cannot be read", async () => {
  await using dir = await tempDir();
  const conditions = new HookConditions({ workspace: dir.path, home: dir.path });
  const tool = {
    name: "Bash",
    aliases: ["bash"],
    effect: "run" as const,
    subject: { kind: "command" as const, param: "command" },
  };
  const fits = (command: string) => conditions.fits("Bash(git push *)", tool, { command });
  assert.ok(await fits("git push origin"));
  assert.ok(await fits("echo x && FOO=1 timeout 5 git push origin"));
  assert.ok(!await fits("git status"));
  assert.ok(await fits("echo 'unfinished"), "what cannot be read fits");
  const edit = { ...tool, name: "Edit", aliases: [], effect: "write" as const };
  const path = { ...edit, subject: { kind: "path" as const, param: "file_path" } };
  assert.ok(await conditions.fits("Edit(*.ts)", path, { file_path: "a/b.ts" }));
  assert.ok(!await conditions.fits("Edit(*.ts)", path, { file_path: "a/b.js" }));
});
