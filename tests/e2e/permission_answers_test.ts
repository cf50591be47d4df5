import assert from "node:assert/strict";
import { join } from "node:path";
import { appRootPaths } from "../../core/app_root/mod.ts";
import type { LoggedDecision } from "../../core/cli/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { converse } from "../support/converse.ts";
import { runLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";

const yes = () => ({ behavior: "allow" });
const no = () => ({ behavior: "deny", message: "not there" });

Deno.test("a link that is turned while the question waits is asked about again, and what was refused is not touched", async () => {
  await using ws = await tempDir();
  await using app = await tempDir();
  await using outside = await tempDir();
  await ws.write("a.txt", "old");
  await outside.write("secret.txt", "secret");
  await Deno.symlink("a.txt", ws.join("link.txt"));
  const turn = async () => {
    await Deno.remove(ws.join("link.txt"));
    await Deno.symlink(outside.join("secret.txt"), ws.join("link.txt"));
    return { behavior: "allow" };
  };
  const write = { name: "Write", input: { file_path: "link.txt", content: "new" } };
  const { questions, results, code, stderr } = await converse(
    { cwd: ws.path, app_root: app.path },
    [write, { name: "Write", input: { file_path: "b.txt", content: "new" } }],
    [turn, no, yes],
  );
  assert.equal(code, 0, stderr + JSON.stringify(results));
  assert.equal(questions.length, 3);
  assert.match(
    questions[1]?.decision_reason ?? "",
    /changed since it was asked about and would touch other files.*outside/,
  );
  assert.match(results[0]?.content ?? "", /did not allow.*not there/);
  assert.equal(await outside.read("secret.txt"), "secret");
  assert.equal(await ws.read("a.txt"), "old");
  assert.equal(await ws.read("b.txt"), "new");
});

Deno.test("answers open a folder, change the mode and keep rules for the session, the project and the user; the log says so", async () => {
  await using ws = await tempDir();
  await using app = await tempDir();
  await using outside = await tempDir();
  await outside.write("data/a.txt", "A");
  await outside.write("data/b.txt", "B");
  await outside.write("more/c.txt", "C");
  await outside.write("more/d.txt", "D");
  const read = (path: string) => ({ name: "Read", input: { file_path: outside.join(path) } });
  const bash = (command: string) => ({ name: "Bash", input: { command } });
  const update = (...updatedPermissions: JsonObject[]) => () => ({ behavior: "allow", updatedPermissions });
  const rule = (destination: string, ruleContent: string) => ({
    type: "addRules",
    behavior: "allow",
    destination,
    rules: [{ toolName: "Bash", ruleContent }],
  });
  const { questions, results, session_id, stderr } = await converse(
    { cwd: ws.path, app_root: app.path },
    [
      read("data/a.txt"),
      read("data/b.txt"),
      read("more/c.txt"),
      read("more/d.txt"),
      bash("npm one"),
      bash("npm two"),
      bash("touch x"),
      { name: "Write", input: { file_path: "y.txt", content: "y" } },
    ],
    [
      // the second suggestion is the folder
      ({ permission_suggestions }) => ({
        behavior: "allow",
        updatedPermissions: permission_suggestions.slice(1),
      }),
      update(
        { type: "addDirectories", directories: [outside.join("more")], destination: "session" },
        { type: "addDirectories", directories: ["/"], destination: "session" },
        { type: "replaceRules" },
      ),
      update(rule("localSettings", "npm one")),
      update(rule("userSettings", "npm two")),
      update({ type: "setMode", mode: "acceptEdits", destination: "session" }),
    ],
  );
  assert.deepEqual(questions[0]?.permission_suggestions.at(-1), {
    type: "addRules",
    behavior: "allow",
    destination: "session",
    rules: [{ toolName: "Read", ruleContent: `/${outside.join("data")}/**` }],
  });
  assert.equal(questions.length, 5, "b.txt, d.txt and y.txt ask no more");
  assert.ok(results.slice(0, 4).every(({ is_error }) => !is_error));
  assert.match(stderr, /The folder is not opened: \/ is too much at once/);
  assert.match(stderr, /"replaceRules" is not carried out/);
  assert.equal(await ws.read("y.txt"), "y");
  const settings = JSON.parse(await Deno.readTextFile(appRootPaths(app.path).settingsFile));
  assert.deepEqual(settings.permissions.allow, ["Bash(npm two)"]);
  const [project] = await Array.fromAsync(Deno.readDir(app.join("data/projects")), (entry) => entry.name);
  const kept = JSON.parse(await app.read(join("data/projects", project ?? "", "permissions.json")));
  assert.deepEqual(kept, { allow: ["Bash(npm one)"] });

  const log = await runLumina(["permission", "log", session_id, "--json"], {
    cwd: ws.path,
    app_root: app.path,
  });
  const decisions: (LoggedDecision & { shown?: string })[] = log.stdout.trim().split("\n").map((line) =>
    JSON.parse(line)
  );
  assert.deepEqual(decisions.map(({ by, remember, kept = [] }) => [by, remember, ...kept]), [
    ["user", "session", `Read(/${outside.join("data")}/**)`],
    ["policy", undefined],
    ["user", "session", `directory ${outside.join("more")}`],
    ["policy", undefined],
    ["user", "project", "Bash(npm one)"],
    ["user", "user", "Bash(npm two)"],
    ["user", "session", "mode accept-edits"],
    ["policy", undefined],
  ]);
  assert.ok(decisions.every(({ shown }) => /^[0-9a-f]{64}$/.test(shown ?? "")));
  assert.equal(decisions.at(-1)?.mode, "accept-edits");
  const text = await runLumina(["permission", "log"], { cwd: ws.path, app_root: app.path });
  assert.match(text.stdout, /allow Bash by user \(mode, mode ask\): .*holds: project; kept: Bash\(npm one\)/);
});

Deno.test("on the terminal, s keeps for the session, f opens the folder, and what has no rule offers neither", async () => {
  await using ws = await tempDir();
  await using app = await tempDir();
  await using outside = await tempDir();
  await outside.write("a.txt", "A");
  await outside.write("b.txt", "B");
  const { startScriptedProvider } = await import("../../core/model/scripted/mod.ts");
  const call = (name: string, input: Record<string, string>) => ({ tool_calls: [{ name, input }] });
  await using provider = await startScriptedProvider({
    turns: [
      call("Bash", { command: "git commit -m x" }),
      call("Bash", { command: "git commit -m y" }),
      call("Read", { file_path: outside.join("a.txt") }),
      call("Read", { file_path: outside.join("b.txt") }),
      call("Bash", { command: "python3 -c 1" }),
      { text: "done" },
    ],
  });
  const flags = ["--model", "m", "--api-key", "k", "--base-url", provider.url];
  const run = await runLumina(["-p", "go", "--permission-prompt", "stdio", ...flags], {
    cwd: ws.path,
    app_root: app.path,
    stdin: "s\nf\ns\n",
  });
  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.stderr.match(/Permission needed/g)?.length, 3);
  assert.match(
    run.stderr,
    /\[y\]es once, this \[s\]ession, \[a\]lways in this project, \[n\]o and why, \[N\]o/,
  );
  assert.ok(run.stderr.includes(`folder would keep: Read(/${outside.path}/**)`), run.stderr);
  assert.match(run.stderr, /python3 -c 1[^]*Allow\? \[y\]es once, \[n\]o and why, \[N\]o/);
  assert.match(provider.requests.at(-1)?.raw ?? "", /the answer was no/);
});
