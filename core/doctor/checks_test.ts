import assert from "node:assert/strict";
import { join } from "node:path";
import { onlyWhere } from "../../tests/support/skip.ts";
import { tempDir } from "../../tests/support/temp_dir.ts";
import {
  attemptChecks,
  checkAppRoot,
  checkModes,
  checkNamespaces,
  checkPrograms,
  checkSettings,
} from "./mod.ts";

const POSIX = onlyWhere(
  "what others could read in the app root is named, links, app/ and what containers read left out",
  Deno.build.os !== "windows",
  "no modes",
);

Deno.test(POSIX, async () => {
  await using dir = await tempDir();
  const root = dir.join("root");
  const paths = { root, appDir: join(root, "app"), stateDir: join(root, "state") };
  await Deno.mkdir(join(root, "config"), { recursive: true, mode: 0o700 });
  const container = join(root, "state/services/engine");
  await Deno.mkdir(container, { recursive: true, mode: 0o700 });
  await Deno.writeTextFile(join(container, "settings.yml"), "", { mode: 0o644 });
  await Deno.mkdir(paths.appDir, { mode: 0o755 });
  await Deno.chmod(root, 0o700);
  await Deno.chmod(join(root, "config"), 0o700);
  await Deno.writeTextFile(join(root, "config/settings.json"), "{}", { mode: 0o600 });
  await Deno.symlink("/etc/passwd", join(root, "link"));
  assert.equal((await checkModes(paths)).status, "ok");
  await Deno.chmod(join(root, "config/settings.json"), 0o640);
  const check = await checkModes(paths);
  assert.equal(check.status, "failed");
  assert.match(check.found, /^1 can be read.*settings\.json$/);
  assert.equal(check.fix, `chmod -R go-rwx ${root}`);
  const checks = await checkAppRoot(paths);
  assert.deepEqual(checks.map(({ what, status }) => `${what} ${status}`), [
    "found ok",
    "modes 0700 and 0600 failed",
    "free space ok",
  ]);
  const [absent] = await checkAppRoot({ ...paths, root: dir.join("no") });
  assert.equal(absent?.status, "failed");
});

Deno.test("what forbids user namespaces is told with its fix, and is no failure where a sandbox starts", () => {
  const none = { apparmor_restricts: undefined, unprivileged_clone: undefined, most_namespaces: undefined };
  assert.equal(checkNamespaces(none, false).status, "ok");
  const ubuntu = checkNamespaces({ ...none, apparmor_restricts: "1" }, false);
  assert.equal(ubuntu.status, "failed");
  assert.match(ubuntu.found, /kernel\.apparmor_restrict_unprivileged_userns/);
  assert.match(ubuntu.fix ?? "", /\/etc\/apparmor\.d\/bwrap/);
  assert.equal(checkNamespaces({ ...none, apparmor_restricts: "1" }, true).status, "note");
  assert.match(
    checkNamespaces({ ...none, unprivileged_clone: "0" }, false).fix ?? "",
    /unprivileged_userns_clone=1/,
  );
  assert.match(checkNamespaces({ ...none, most_namespaces: "0" }, false).fix ?? "", /max_user_namespaces/);
});

Deno.test("programs: only a missing shell fails; the sandbox's is the system's own", () => {
  const told = (found: Record<string, string>, os: string) =>
    checkPrograms(found, os).map(({ what, status }) => `${what} ${status}`);
  assert.deepEqual(told({ bash: "/bin/bash", bwrap: "/bin/bwrap" }, "linux"), [
    "bash ok",
    "git note",
    "rg note",
    "bwrap ok",
  ]);
  assert.deepEqual(told({ git: "/bin/git", rg: "/bin/rg" }, "darwin"), [
    "bash failed",
    "git ok",
    "rg ok",
    "sandbox-exec note",
  ]);
});

Deno.test("settings: a broken file, no model, and where a key comes from; the key is never shown", async () => {
  await using dir = await tempDir();
  const settingsFile = dir.join("settings.json");
  const check = async (text: string, variables: Record<string, string> = {}) => {
    await Deno.writeTextFile(settingsFile, text);
    return await checkSettings({
      app_root: { settingsFile },
      project_dir: dir.path,
      env: { get: (name) => variables[name] },
      home: dir.path,
    });
  };
  const [broken] = await check('{ "api_model": }');
  assert.equal(broken?.status, "failed");
  assert.match(broken?.found ?? "", /settings\.json:1/);
  const bare = await check("{}");
  assert.deepEqual(bare.map(({ what, status }) => `${what} ${status}`), [
    "can be read ok",
    "configured failed",
    "key note",
  ]);
  const set = await check('{ "api_model": "m" }', { LUMINA_API_KEY: "sk-very-secret" });
  assert.deepEqual(set.map(({ status }) => status), ["ok", "ok", "ok"]);
  assert.ok(!JSON.stringify(set).includes("sk-very-secret"));
  const file = await check(`{ "api_model": "m", "api_key_file": "${dir.join("key")}" }`);
  assert.equal(file.at(-1)?.status, "failed");
  await dir.write("key", "sk-very-secret");
  await Deno.chmod(dir.join("key"), 0o644);
  assert.match(
    (await check(`{ "api_model": "m", "api_key_file": "${dir.join("key")}" }`)).at(-1)?.fix ?? "",
    /^chmod 600/,
  );
  const helper = await check('{ "api_model": "m", "api_key_helper": "exit 1" }');
  assert.match(helper.at(-1)?.found ?? "", /not run/);
});

Deno.test("an attempt that worked is a failure with its fix", () => {
  const checks = attemptChecks("x", [
    { what: "a", held: true, found: "no" },
    { what: "b", held: false, found: "yes" },
  ], "mend it");
  assert.deepEqual(checks, [
    { layer: "x", what: "a", status: "ok", found: "no" },
    { layer: "x", what: "b", status: "failed", found: "yes", fix: "mend it" },
  ]);
});
