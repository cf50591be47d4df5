import assert from "node:assert/strict";
import { tempDir } from "../../tests/support/temp_dir.ts";
import { addPermissionRules, addSettingsRules } from "./add_permission_rules.ts";
import { readPermissionFile } from "./permission_file.ts";

Deno.test("addPermissionRules() makes the file, appends once, and keeps comments", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const file = `${directory}/projects/p/permissions.json`;
    await addPermissionRules(file, "allow", ["Bash(git commit *)"]);
    await addPermissionRules(file, "allow", ["Edit(./a)", "Bash(git commit *)", "Edit(./a)"]);
    await addPermissionRules(file, "deny", ["Read(.env)"]);
    const { allow, deny, ask } = (await readPermissionFile(file)).permissions;
    assert.deepEqual([allow, deny, ask], [["Bash(git commit *)", "Edit(./a)"], ["Read(.env)"], []]);
    await Deno.writeTextFile(file, '{\n  // mine\n  "allow": ["Edit"]\n}\n');
    await addPermissionRules(file, "allow", ["Write"]);
    assert.match(await Deno.readTextFile(file), /\/\/ mine/);
    assert.deepEqual((await readPermissionFile(file)).permissions.allow, ["Edit", "Write"]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("rules that are added at the same time, here and by another process, are all kept", async () => {
  await using dir = await tempDir();
  const [rules_file, settings_file] = [dir.join("p/permissions.json"), dir.join("c/settings.json")];
  const script = `
    import { addPermissionRules, addSettingsRules } from ${JSON.stringify(import.meta.resolve("./mod.ts"))};
    const [rules_file, settings_file] = Deno.args;
    for (let at = 0; at < 15; at++) {
      await addPermissionRules(rules_file, "deny", ["Read(other" + at + ")"]);
      await addSettingsRules(settings_file, "deny", ["Read(other" + at + ")"]);
    }`;
  await dir.write("add.ts", script);
  const other = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      `--config=${new URL("../../deno.json", import.meta.url).pathname}`,
      dir.join("add.ts"),
      rules_file,
      settings_file,
    ],
    stderr: "inherit",
  }).output();
  const names = Array.from({ length: 15 }, (_, at) => `Read(here${at})`);
  await Promise.all(names.flatMap((rule) => [
    addPermissionRules(rules_file, "deny", [rule]),
    addSettingsRules(settings_file, "deny", [rule]),
  ]));
  assert.equal((await other).code, 0);
  const all = [...names, ...names.map((rule) => rule.replace("here", "other"))].sort();
  assert.deepEqual([...(await readPermissionFile(rules_file)).permissions.deny].sort(), all);
  const { permissions } = JSON.parse(await Deno.readTextFile(settings_file));
  assert.deepEqual(permissions.deny.sort(), all);
});
