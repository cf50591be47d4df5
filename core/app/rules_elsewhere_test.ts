import assert from "node:assert/strict";
import { tempDir } from "../../tests/support/temp_dir.ts";
import { rulesElsewhere } from "./rules_elsewhere.ts";
import { strayPaths } from "./unknown_names.ts";

Deno.test("rules in a project's .claude files that are not in force are told with the way to take them over", async () => {
  await using ws = await tempDir();
  const shared = await ws.write(
    ".claude/settings.json",
    '{ "permissions": { "deny": ["Read(./.env)"], "allow": ["Bash(make *)"] }, "hooks": {} }',
  );
  const held = (list: "deny" | "allow", text: string) => ({
    list,
    text,
    source: { origin: "project" as const, base_dir: ws.path },
  });
  const told = await rulesElsewhere(ws.path, [held("allow", "Read(./.env)"), held("allow", "Bash(make *)")]);
  assert.deepEqual(told, [
    `${shared} has 1 rule that is not in force: lumina permission import ${shared} shows them, --write takes them over`,
  ]);
  assert.deepEqual(
    await rulesElsewhere(ws.path, [held("deny", "Read(./.env)"), held("allow", "Bash(make *)")]),
    [],
  );
  const broken = await ws.write(".claude/settings.local.json", '{ "permissions": ');
  const [, other] = await rulesElsewhere(ws.path, []);
  assert.ok(other?.startsWith(`${broken}: its rules cannot be read: `), other);
});

Deno.test("a rule of the user's settings whose path begins beside that file is told with what was meant", () => {
  const source = {
    origin: "user" as const,
    file: "/h/.lumina/config/settings.json",
    base_dir: "/h/.lumina/config",
  };
  const rule = (text: string, more: object = {}) => ({
    list: "deny" as const,
    text,
    source,
    line: 3,
    ...more,
  });
  assert.deepEqual(strayPaths([rule("Read(/etc/**)")]), [
    "/h/.lumina/config/settings.json:3: Read(/etc/**) means a path in /h/.lumina/config; " +
    "write Read(./etc/**) for the workspace, Read(//etc/**) for an absolute path",
  ]);
  const fine = ["Read(//etc/**)", "Read(~/x)", "Edit(src/**)", "Edit(./src/**)", "Bash(/bin/ls)", "Read"];
  assert.deepEqual(strayPaths(fine.map((text) => rule(text))), []);
  assert.deepEqual(strayPaths([rule("Edit(/src/**)", { source: { ...source, origin: "project" } })]), []);
});
