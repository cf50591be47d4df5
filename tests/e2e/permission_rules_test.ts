import assert from "node:assert/strict";
import { appRootPaths } from "../../core/app_root/mod.ts";
import type { PermissionExplanation, PermissionListing } from "../../core/cli/mod.ts";
import { converse } from "../support/converse.ts";
import { findSandbox } from "../support/find_sandbox.ts";
import { luminaCommand, runLumina } from "../support/run_lumina.ts";
import { testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("rules that cannot be read never count as absent, and the session starts; on the command line they are refused", async () => {
  await using ws = await tempDir();
  await using app = await tempDir();
  const { settingsFile: settings } = appRootPaths(app.path);
  await Deno.mkdir(settings.slice(0, settings.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(
    settings,
    `{ "permissions": {
  "deny": [
    "Bash(git push *)",
    "Bash(rm -rf *" // no bracket
  ],
  "allow": ["Bash(npm test *)", "Edit("]
} }`,
  );
  const { questions, results, stderr } = await converse(
    { cwd: ws.path, app_root: app.path },
    [{ name: "Bash", input: { command: "ls" } }],
    [() => ({ behavior: "deny", message: "no" })],
  );
  assert.equal(questions.length, 1, "even ls asks");
  assert.match(questions[0]?.decision_reason ?? "", /cannot be read as a rule and asks/);
  assert.match(results[0]?.content ?? "", /did not allow/);
  assert.ok(
    stderr.includes(`in ${settings}:4 has no closing bracket at its end; write Bash(rm -rf *)`),
    stderr,
  );
  assert.ok(
    stderr.includes(`in ${settings}:6 has no closing bracket at its end; write Edit; until then`),
    stderr,
  );

  const given = await ws.write(
    "run.json",
    '{ "permissions": { "ask": ["WebFetch(example.com)", "Bahs(x)"] } }',
  );
  const flags = ["--settings", given, "--disallowed-tools", "Read(.env)"];
  const list = await runLumina([...flags, "permission", "list", "--json"], {
    cwd: ws.path,
    app_root: app.path,
  });
  const listing: PermissionListing = JSON.parse(list.stdout);
  assert.deepEqual(
    listing.rules.map(({ list, rule, scope, line, problem }) => [list, rule, scope, line, !problem]),
    [
      ["deny", "Read(.env)", "flag", undefined, true],
      ["ask", "WebFetch(example.com)", "local", 1, false],
      ["ask", "Bahs(x)", "local", 1, true],
      ["deny", "Bash(git push *)", "user", 3, true],
      ["deny", "Bash(rm -rf *", "user", 4, false],
      ["allow", "Bash(npm test *)", "user", 6, true],
      ["allow", "Edit(", "user", 6, false],
    ],
  );
  assert.deepEqual([listing.mode, listing.mode_from], ["ask", "default"]);
  assert.ok(
    listing.problems.some((text) => /run\.json:1: Bahs\(x\) names no tool.*did you mean "Bash"/.test(text)),
  );

  const explained = await runLumina(
    ["permission", "explain", "--json", "Bash(npm test && git push origin)"],
    { cwd: ws.path, app_root: app.path },
  );
  const { verdict, rule, modes }: PermissionExplanation = JSON.parse(explained.stdout);
  assert.equal(verdict.behavior, "deny");
  assert.equal(verdict.part, "git push origin");
  assert.deepEqual(rule, { list: "deny", rule: "Bash(git push *)", scope: "user", file: settings, line: 3 });
  assert.deepEqual(modes.map(({ behavior }) => behavior), ["deny", "deny", "deny", "deny", "deny"]);
  const text = await runLumina(["permission", "explain", "Bash(npm test && git push origin)"], {
    cwd: ws.path,
    app_root: app.path,
  });
  assert.ok(text.stdout.includes(`decided by: rule Bash(git push *) (${settings}:3)`), text.stdout);
  assert.match(text.stdout, /^part of the line: git push origin$/m);
  assert.match(text.stdout, /^scope of the rule: user$/m);

  const typed = await runLumina([
    "-p",
    "hi",
    "--model",
    "m",
    "--api-key",
    "k",
    "--disallowed-tools",
    "WebFetch(x)",
  ], {
    cwd: ws.path,
    app_root: app.path,
  });
  assert.equal(typed.code, 2);
  assert.match(typed.stderr, /^lumina: .*"WebFetch\(x\)" names no host; write WebFetch\(domain:x\)\n$/m);
});

testWith("managed settings stand above flags, the user and the project", await findSandbox(), async () => {
  await using ws = await tempDir();
  await using app = await tempDir();
  await using managed = await tempDir();
  await managed.write(
    "managed-settings.json",
    `{ "permissions": {
  "deny": ["Bash(curl *)"],
  "allow": ["Bash(make *)"],
  "disableBypassPermissionsMode": "disable"
}, "allow_managed_rules_only": true }`,
  );
  await Deno.chmod(managed.path, 0o755);
  // the whole machine as it is, with another /etc and root's eyes
  const run = async (...args: string[]) => {
    const { program, flags } = luminaCommand();
    const inside = ["--unshare-user", "--uid", "0", "--gid", "0", "--dev-bind", "/", "/", "--tmpfs", "/etc"];
    const { code, stdout, stderr } = await new Deno.Command("bwrap", {
      args: [...inside, "--ro-bind", managed.path, "/etc/lumina", program, ...flags, ...args],
      cwd: ws.path,
      env: { LUMINA_APP_ROOT: app.path, NO_COLOR: "1" },
      stdin: "null",
    }).output();
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: text(stdout), stderr: text(stderr) };
  };
  const flags = ["--allowed-tools", "Bash,Bash(curl *)"];
  const list = await run(...flags, "permission", "list", "--json");
  const listing: PermissionListing = JSON.parse(list.stdout);
  const file = "/etc/lumina/managed-settings.json";
  assert.deepEqual(listing.rules.slice(0, 2), [
    { list: "deny", rule: "Bash(curl *)", scope: "managed", file, line: 2 },
    { list: "allow", rule: "Bash(make *)", scope: "managed", file, line: 3 },
  ]);
  assert.equal(listing.yolo_disabled_by, file);
  assert.match(listing.rules[2]?.problem ?? "", /only their own rules allow/);
  const explained = await run(...flags, "permission", "explain", "--json", "Bash(curl https://example.com)");
  const explanation: PermissionExplanation = JSON.parse(explained.stdout);
  assert.equal(explanation.verdict.behavior, "deny");
  assert.equal(explanation.rule?.scope, "managed");
  const yolo = await run("-p", "hi", "--yolo", "--model", "m", "--api-key", "k");
  assert.equal(yolo.code, 2);
  assert.match(yolo.stderr, /Mode yolo is disabled .*\/etc\/lumina\/managed-settings\.json/);
  await Deno.chmod(managed.join("managed-settings.json"), 0o666);
  const open = await run("permission", "list");
  assert.equal(open.code, 2);
  assert.match(
    open.stderr,
    /^lumina: The managed settings cannot be trusted: of \/etc\/lumina\/.*chmod go-w.*\n$/,
  );
});
