import assert from "node:assert/strict";
import { join } from "node:path";
import { appRootPaths, projectIdentity } from "../../core/app_root/mod.ts";
import { compiledProgram } from "../support/compiled_program.ts";
import { findDenort } from "../support/denort.ts";
import { REPO_ROOT } from "../support/repo_root.ts";
import { runLumina } from "../support/run_lumina.ts";
import { onlyWhere, testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";

const MODES = ["plan", "ask", "accept-edits", "auto", "yolo"] as const;

interface Judged {
  id: string;
  line: string;
  verdicts: Record<(typeof MODES)[number], string>;
}

const fixture = join(
  Deno.env.get("LUMINA_SHARED") ?? join(REPO_ROOT, "../shared"),
  "fixtures/permission/everyday.jsonl",
);

async function fixtureText(): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(fixture);
  } catch {
    return undefined; // the fixture is no part of the repository
  }
}

function judgedLines(stdout: string): Judged[] {
  return stdout.trimEnd().split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

const everyday = await fixtureText();

Deno.test(
  onlyWhere(
    "permission test judges everyday lines: few false asks, nothing that writes in plan, nothing forbidden below yolo",
    everyday !== undefined,
    `${fixture} is not there`,
  ),
  async () => {
    await using workspace = await tempDir();
    for (const name of ["src", "docs", "tests", "logs", "data", "packages/web", "dist"]) {
      await Deno.mkdir(workspace.join(name), { recursive: true });
    }
    const run = await runLumina(["permission", "test", fixture, "--bare"], { cwd: workspace.path });
    assert.deepEqual([run.code, run.stderr], [0, ""]);
    const judged = judgedLines(run.stdout);
    const lines = (everyday ?? "").trim().split("\n").map((line) => JSON.parse(line));
    assert.equal(judged.length, lines.length);
    const [false_asks, false_allows, never]: string[][] = [[], [], []];
    for (const [index, { id, line, class: kind, never_auto }] of lines.entries()) {
      const said = judged[index];
      assert.deepEqual(Object.keys(said ?? {}), ["id", "line", "verdicts"]);
      assert.deepEqual([said?.id, said?.line], [id, line]);
      assert.deepEqual(Object.keys(said?.verdicts ?? {}), MODES);
      if (kind === "read" && said?.verdicts.plan !== "allow") false_asks?.push(line);
      if (kind !== "read" && said?.verdicts.plan === "allow") false_allows?.push(line);
      if (kind === "never_auto" || never_auto === true) {
        if (MODES.some((mode) => mode !== "yolo" && said?.verdicts[mode] === "allow")) never?.push(line);
      }
    }
    assert.deepEqual([false_allows, never], [[], []]);
    const reads = lines.filter((line) => line.class === "read").length;
    assert.ok((false_asks?.length ?? 0) <= reads * 0.05, false_asks?.join("\n"));
  },
);

Deno.test("permission test names broken lines and judges the others; rules count without --bare, a missing file is exit 4", async () => {
  await using dir = await tempDir();
  await dir.write(
    "root/config/settings.json",
    '{ "permissions": { "deny": ["Bash(frob *)"], "allow": ["Bash(make *)"] } }',
  );
  const text = [
    '{"id": "a", "line": "frob x", "why": "mine"}',
    "{ half",
    "",
    '{"id": "b"}',
    "[1]",
    '{"id": 7, "line": "make it"}',
  ].join("\r\n");
  const bytes = new Uint8Array([...new TextEncoder().encode(`${text}\n`), 0xff, 10]);
  const options = { cwd: dir.path, app_root: dir.join("root") };
  const run = await runLumina(["permission", "test", "-", "--json"], { ...options, stdin: text });
  assert.equal(run.code, 1);
  assert.deepEqual(
    judgedLines(run.stdout).map(({ id, verdicts }) => [id, verdicts.ask, verdicts.yolo]),
    [["a", "deny", "deny"], [7, "allow", "allow"]],
  );
  assert.deepEqual(run.stderr.trim().split("\n").map((line) => line.split(": ", 3).slice(0, 2).join(": ")), [
    "lumina: standard input:2",
    "lumina: standard input:4",
    "lumina: standard input:5",
  ]);
  await Deno.writeFile(dir.join("lines.jsonl"), bytes);
  const bare = await runLumina(["permission", "test", "lines.jsonl", "--bare"], options);
  assert.equal(bare.code, 1);
  assert.match(bare.stderr, /^lumina: lines\.jsonl:7: it is not UTF-8/m);
  assert.deepEqual(judgedLines(bare.stdout).map(({ verdicts }) => verdicts.yolo), ["allow", "allow"]);
  const missing = await runLumina(["permission", "test", "nowhere.jsonl"], options);
  assert.deepEqual([missing.code, missing.stdout], [4, ""]);
  assert.match(missing.stderr, /^lumina: There is no file nowhere\.jsonl[^\n]*\n$/);
});

Deno.test("permission import tells first and writes on --write: a project's rules for it, the user's into settings.json", async () => {
  await using dir = await tempDir();
  const home = dir.join("home");
  const project = dir.join("project");
  await dir.write(
    "root/config/settings.json",
    '{\n  // mine\n  "permissions": { "deny": ["Bash(frob *)"] }\n}\n',
  );
  await dir.write(
    "project/opencode.jsonc",
    '{\n  // theirs\n  "permission": { "bash": { "*": "ask", "frob *": "allow", "frob rm *": "deny" } },\n  "theme": "x"\n}\n',
  );
  await dir.write("home/.codex/config.toml", 'approval_policy = "never"\nsandbox_mode = "read-only"\n');
  await dir.write(
    "home/.codex/rules/default.rules",
    'prefix_rule(pattern = ["frob", "fetch"], decision = "prompt")\n',
  );
  const root = appRootPaths(dir.join("root"));
  const options = { cwd: project, app_root: root.root, env: { HOME: home } };
  const settings = await Deno.readTextFile(root.settingsFile);
  const rules = join(root.projectDir(projectIdentity(project).id), "permissions.json");

  await dir.write(
    "home/.claude/settings.json",
    '{ "permissions": { "defaultMode": "acceptEdits" }, "hooks": { "Stop": [] } }',
  );
  const claude = await runLumina(["permission", "import", home, "--from", "claude"], options);
  assert.ok(
    claude.stdout.includes(`no hook of this file is run: copy the key hooks into ${root.settingsFile}`),
    claude.stdout,
  );
  assert.match(claude.stdout, /^not added: mode accept-edits \(.*--permission-mode accept-edits/m);
  const dry = await runLumina(["permission", "import", "."], options);
  assert.equal(dry.code, 0, dry.stderr);
  assert.match(dry.stdout, /^ {2}3: bash "frob \*": allow -> allow Bash\(frob \*\) {2}\[same\]$/m);
  assert.match(dry.stdout, /^ {2}4: theme -> no rule {2}\[unknown\]$/m);
  assert.match(dry.stdout, /^to add: deny Bash\(frob rm \*\) \(.*permissions\.json\)$/m);
  assert.match(dry.stdout, /Nothing was written: --write adds 4 changes\n$/);
  await assert.rejects(Deno.stat(rules), Deno.errors.NotFound);

  const written = await runLumina(["permission", "import", project, "--write"], options);
  assert.match(written.stdout, /4 changes written\n$/);
  assert.deepEqual(JSON.parse(await Deno.readTextFile(rules)), {
    deny: ["Read(//**/*.env)", "Read(//**/*.env.*)", "Bash(frob rm *)"],
    allow: ["Bash(frob *)"],
  });
  assert.equal(await Deno.readTextFile(root.settingsFile), settings);

  const codex = await runLumina(
    ["permission", "import", home, "--from", "codex", "--write", "--json"],
    options,
  );
  assert.equal(codex.code, 0, codex.stderr);
  const told = JSON.parse(codex.stdout);
  assert.deepEqual([told.written, told.problems, told.files.length], [true, [], 2]);
  const after = await Deno.readTextFile(root.settingsFile);
  assert.match(after, /\/\/ mine/);
  assert.deepEqual(JSON.parse(after.replace("// mine", "")).permissions, {
    deny: ["Bash(frob *)"],
    ask: ["Bash(frob fetch *)"],
    defaultMode: "plan",
  });
  const lines = '{"id":"1","line":"frob it"}\n{"id":"2","line":"frob fetch x"}\n';
  const judged = await runLumina(["permission", "test", "-"], { ...options, stdin: lines });
  assert.deepEqual(
    judgedLines(judged.stdout).map(({ verdicts }) => verdicts.yolo),
    ["deny", "deny"],
    judged.stderr,
  );
});

Deno.test("permission import writes nothing where a file cannot be read, and says with its line why", async () => {
  await using dir = await tempDir();
  await dir.write(".claude/settings.json", '{ "permissions": { "allow": ["Bash(make *)"] } }');
  await dir.write(".codex/rules/a.rules", 'prefix_rule(pattern = ["a"])\nload("other")(x)\n');
  const options = { cwd: dir.path, app_root: dir.join("root") };
  const run = await runLumina(["permission", "import", ".", "--write"], options);
  assert.equal(run.code, 1);
  assert.match(run.stderr, /^lumina: .*a\.rules:2: [^\n]*\n$/);
  assert.match(run.stdout, /allow Bash\(make \*\)/);
  assert.match(run.stdout, /Nothing was written/);
  assert.deepEqual(await Array.fromAsync(Deno.readDir(dir.join("root/data/projects"))).catch(() => []), []);
  const none = await runLumina(["permission", "import", "./.codex", "--from", "opencode"], options);
  assert.equal(none.code, 4);
  const whose = await dir.write("rules.txt", "x");
  const unknown = await runLumina(["permission", "import", whose], options);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /--from claude, opencode or codex/);
});

testWith(
  "the compiled program's doctor tries every layer, and looks over the installation",
  await findDenort(),
  async ({ env }) => {
    await using dir = await tempDir();
    const options = { cwd: dir.path, app_root: dir.join("root"), artifact: await compiledProgram(env) };
    const probed = await runLumina(["doctor", "--sandbox", "--json"], options);
    const { ok, checks } = JSON.parse(probed.stdout) as { ok: boolean; checks: Record<string, string>[] };
    const failed = checks.filter(({ status }) => status === "failed");
    // a machine with bubblewrap that may make no namespaces is told so
    assert.deepEqual(failed.filter(({ layer }) => layer !== "sandbox"), []);
    assert.deepEqual([ok, probed.code], failed.length === 0 ? [true, 0] : [false, 1]);
    for (const layer of ["app root", "worker tier", "process tier", "sandbox"]) {
      assert.ok(checks.some((check) => check["layer"] === layer), layer);
    }
    assert.equal(checks.filter(({ layer }) => layer === "worker tier").length, MODES.length);
    assert.equal(checks.filter(({ layer }) => layer === "process tier").length, 8);

    await dir.write("root/config/settings.json", '{ "permissions": { "deny": ["Bash("] } }');
    await Deno.chmod(dir.join("root/config/settings.json"), 0o600);
    const plain = await runLumina(["doctor"], {
      ...options,
      env: { LUMINA_API_MODEL: "m", LUMINA_API_KEY: "sk-hidden" },
    });
    assert.equal(plain.code, 1, plain.stdout);
    assert.match(plain.stdout, /^rules +Bash\( +FAILED .*settings\.json:1/m);
    assert.match(plain.stdout, /^ +fix: correct the rule/m);
    assert.match(plain.stdout, /^1 of \d+ failed$/m, plain.stdout);
    assert.ok(!plain.stdout.includes("sk-hidden"));
  },
);
