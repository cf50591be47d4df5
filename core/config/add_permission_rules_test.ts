import assert from "node:assert/strict";
import { addPermissionRules } from "./add_permission_rules.ts";
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
