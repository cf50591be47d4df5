import assert from "node:assert/strict";
import { LuminaError } from "../base/mod.ts";
import { loadSettings } from "./load_settings.ts";
import { managedPlace, readManagedSettings } from "./managed_settings.ts";
import { SettingsWatch } from "./settings_watch.ts";

const env = { get: () => undefined };

async function inFolder(test: (folder: string, owner: number) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "lumina-managed-" });
  try {
    await Deno.chmod(folder, 0o755);
    await test(folder, (await Deno.stat(folder)).uid ?? 0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("the managed file gives rules with their lines, both switches in both spellings, hooks, and names unknown keys", async () => {
  await inFolder(async (folder, owner) => {
    const file = `${folder}/managed-settings.json`;
    const hooks = { Stop: [{ hooks: [{ type: "command", command: "true" }] }] };
    await Deno.writeTextFile(
      file,
      `{ // for all
  "permissions": {
    "deny": [
      "Bash(curl *)",
      "WebFetch"],
    "defaultMode": "plan",
    "disableBypassPermissionsMode": "disable",
    "alow": []
  },
  "allowManagedPermissionRulesOnly": true,
  "allow_managed_hooks_only": true,
  "hoks": {},
  "hooks": ${JSON.stringify(hooks)}
}`,
    );
    const read = await readManagedSettings({ file, owner });
    assert.deepEqual(read?.permissions.deny, ["Bash(curl *)", "WebFetch"]);
    assert.deepEqual(read?.lines.deny, [4, 5]);
    assert.equal(read?.permissions.defaultMode, "plan");
    assert.equal(read?.permissions.disableBypassPermissionsMode, "disable");
    assert.deepEqual([read?.allow_managed_rules_only, read?.allow_managed_hooks_only], [true, true]);
    assert.deepEqual(read?.hooks, hooks);
    assert.equal(await read?.line(["hooks", "Stop"]), 13);
    assert.deepEqual(read?.warnings, [
      `${file}:12: "hoks" is unknown and ignored; did you mean "hooks"?`,
      `${file}:8: "permissions.alow" is unknown and ignored`,
    ]);
    const loaded = await loadSettings({
      app_root: { settingsFile: `${folder}/none.json` },
      env,
      home: folder,
      managed: { file, owner },
    });
    assert.equal(loaded.managed?.file, file);
    assert.equal(loaded.warnings.length, 2);
  });
});

Deno.test("a managed file that others than its owner may change is refused, and so is one that says nonsense", async () => {
  await inFolder(async (folder, owner) => {
    const file = `${folder}/managed-settings.json`;
    const refused = async (what: RegExp, place = { file, owner }) =>
      await assert.rejects(readManagedSettings(place), (error: unknown) => {
        assert.ok(error instanceof LuminaError);
        assert.deepEqual([error.code, error.exit], ["config.invalid", 2]);
        assert.match(error.message, what);
        return true;
      });
    assert.equal(await readManagedSettings({ file, owner }), undefined);
    await Deno.writeTextFile(file, "{}", { mode: 0o644 });
    assert.ok(await readManagedSettings({ file, owner }));
    await refused(/belongs to user \d+; make it root's alone/, { file, owner: owner + 1 });
    await Deno.chmod(file, 0o664);
    await refused(/others than its owner may change it \(mode 664\).*chmod go-w/);
    await Deno.chmod(file, 0o644);
    await Deno.chmod(folder, 0o777);
    await refused(/of \S+lumina-managed-\w+, others than its owner/);
    await Deno.chmod(folder, 0o755);
    // a link to a file that others may change is no way around
    await Deno.mkdir(`${folder}/open`);
    await Deno.writeTextFile(`${folder}/open/real.json`, "{}");
    await Deno.chmod(`${folder}/open`, 0o777);
    await Deno.symlink(`${folder}/open/real.json`, `${folder}/link.json`);
    await refused(/open, others than its owner/, { file: `${folder}/link.json`, owner });
    for (
      const [text, what] of [
        ['{ "permissions": { "deny": "all" } }', /:1: "permissions" at deny/],
        ['{\n "allow_managed_rules_only": "yes" }', /:2: "allow_managed_rules_only" must be true or false/],
        ['{\n\n "hooks": [] }', /:3: "hooks" must be an object/],
        ["{", /cannot be read/],
      ] as const
    ) {
      await Deno.writeTextFile(file, text);
      await refused(what);
    }
  });
});

Deno.test("a managed file that appears is seen at the next reload", async () => {
  await inFolder(async (folder, owner) => {
    const file = `${folder}/managed-settings.json`;
    const options = {
      app_root: { settingsFile: `${folder}/none.json` },
      env,
      home: folder,
      managed: { file, owner },
    };
    const watch = await SettingsWatch.open(options);
    const denied = () => watch.current.managed?.permissions.deny;
    assert.equal(denied(), undefined);
    await Deno.writeTextFile(file, '{ "permissions": { "deny": ["Bash"] } }', { mode: 0o644 });
    assert.equal((await watch.reload()).changed, true);
    assert.deepEqual(denied(), ["Bash"]);
  });
});

Deno.test("the managed file has its place on each platform", () => {
  assert.equal(managedPlace("linux")?.file, "/etc/lumina/managed-settings.json");
  assert.equal(managedPlace("darwin")?.file, "/Library/Application Support/Lumina/managed-settings.json");
  assert.equal(managedPlace("windows"), undefined);
});
