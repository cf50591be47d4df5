import assert from "node:assert/strict";
import { appRootPaths, projectIdentity } from "../../core/app_root/mod.ts";
import { startScriptedProvider } from "../../core/model/scripted/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { findSandbox } from "../support/find_sandbox.ts";
import { HEADLESS, place, refused, snapshot } from "../support/refusals.ts";
import { failed, runCalls, succeeded } from "../support/run_calls.ts";
import type { ScriptedCall } from "../support/run_calls.ts";
import { runLumina } from "../support/run_lumina.ts";
import { testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("a link out of the workspace opens nothing outside: not to read, write, edit, list or search, nor for a command", async () => {
  await using dir = await tempDir();
  await using outside = await tempDir();
  await outside.write("secret.txt", "outside-secret");
  await Deno.symlink(outside.path, dir.join("out"));
  await Deno.symlink("out", dir.join("hop"));
  await Deno.symlink(outside.join("not_yet"), dir.join("dangling"));
  await dir.write("inside.txt", "outside-secret? no: inside\n");
  const file = (
    name: string,
    file_path: string,
    more: JsonObject = {},
  ): ScriptedCall => [name, { file_path, ...more }];
  const change = { old_string: "outside", new_string: "changed" };
  const calls: ScriptedCall[] = [
    file("Read", "out/secret.txt"),
    file("Read", "hop/secret.txt"),
    file("Read", `out/../${outside.path.split("/").at(-1)}/secret.txt`),
    file("Write", "out/new.txt", { content: "x" }),
    file("Write", "hop/new/deep.txt", { content: "x" }),
    file("Write", "dangling", { content: "x" }),
    file("Edit", "out/secret.txt", change),
    file("MultiEdit", "out/secret.txt", { edits: [change] }),
    ["List", { path: "out" }],
    ["Glob", { pattern: "*.txt", path: "out" }],
    ["Grep", { pattern: "outside-secret", path: "hop" }],
    "cat out/secret.txt",
    "cd out && cat secret.txt",
    "grep -r outside-secret out/",
    "echo x > dangling",
    "cp inside.txt out/",
  ];
  const searches: ScriptedCall[] = [
    ["Grep", { pattern: "outside-secret", follow: true }],
    ["Glob", { pattern: "**/*.txt", follow: true }],
  ];
  const { results, lines } = await runCalls(dir.path, [...calls, ...searches], {
    args: ["--permission-mode", "accept-edits"],
  });
  refused(calls, results.slice(0, calls.length), HEADLESS);
  assert.match(results[0]?.content ?? "", /out\/secret\.txt \(\/.*\/secret\.txt\) is outside the workspace/);
  for (const result of results.slice(calls.length)) {
    assert.match(succeeded(result), /^inside\.txt\n/);
    assert.match(succeeded(result), /links that lead outside the readable directories/);
  }
  assert.deepEqual(await snapshot(outside.path), { "secret.txt": "outside-secret" });
  const shown = lines.filter((line) => line["type"] === "user").map((line) => JSON.stringify(line)).join(
    "\n",
  );
  assert.doesNotMatch(shown, /"outside-secret"/);
});

Deno.test("a call outside the workspace that was allowed does what was allowed, and its result tells what it could not", async () => {
  await using dir = await tempDir();
  await using outside = await tempDir();
  await outside.write("old.txt", "a\r\n");
  await Deno.symlink(outside.join("by_link.txt"), dir.join("dangling"));
  const calls: ScriptedCall[] = [
    ["Write", { file_path: outside.join("new.txt"), content: "x" }],
    ["Read", { file_path: outside.join("old.txt") }],
    ["Edit", { file_path: outside.join("old.txt"), old_string: "a", new_string: "b" }],
    ["Write", { file_path: "dangling", content: "y" }],
    ["Write", { file_path: outside.join("deep/new.txt"), content: "x" }],
    ["Grep", { pattern: "b", path: outside.path }],
  ];
  const consent = await runCalls(dir.path, calls, { consent: () => true });
  assert.equal(consent.questions.length, calls.length);
  for (const at of [0, 1, 2, 3, 5]) succeeded(consent.results[at]);
  assert.match(failed(consent.results[4]), /its folder .*\/deep does not exist; make it first/);
  assert.deepEqual(await snapshot(outside.path), { "new.txt": "x", "old.txt": "b\r\n", "by_link.txt": "y" });
  const yolo = await runCalls(dir.path, [["Write", { file_path: outside.join("third.txt"), content: "z" }]], {
    args: ["--yolo"],
  });
  assert.match(succeeded(yolo.results[0]), /^Created .*third\.txt: \+1 -0, 1 bytes$/);
});

Deno.test("where a volume folds case a refusal does too, also for names that are not there yet, and an allow does not", async () => {
  // A volume that folds case needs rights that a test does not have. Two names of one file, made by hard links, are what
  // the program itself takes as the sign of such a volume, and both names open the same file as they would there.
  await using dir = await tempDir();
  await using home = await tempDir();
  await using tools = await tempDir();
  await Deno.mkdir(tools.join("bin"));
  await home.write(".netrc", "secret");
  await Deno.link(home.join(".netrc"), home.join(".NETRC"));
  await dir.write(".env", "KEY=1");
  await Deno.link(dir.join(".env"), dir.join(".ENV"));
  await dir.write("src/a.ts", "");
  await dir.write("victim", "keep");
  const rules = "Read(~/.netrc),Read(.env),Edit(made.txt),Read(~/.ssh/**),Bash(rm *)";
  const calls: ScriptedCall[] = [
    ["Read", { file_path: ".ENV" }],
    ["Read", { file_path: "src/.Env" }],
    ["Read", { file_path: `${home.path}/.NETRC` }],
    ["Read", { file_path: `${home.path}/.SSH/id_rsa` }],
    ["Write", { file_path: "MADE.txt", content: "x" }],
    ["Write", { file_path: "new/Made.TXT", content: "x" }],
    "cat .ENV",
    "cat ~/.NetRC",
    "cat $HOME/.SSH/not_yet",
    "echo x > MADE.txt",
    "/bin/RM victim",
  ];
  const env = place(tools, home);
  const yolo = await runCalls(dir.path, calls, { args: ["--yolo", "--disallowed-tools", rules], env });
  refused(calls, yolo.results, /^Permission denied for (Read|Write|Bash): (Read|Edit|Bash)\(.*\) .*refuses/);

  const widened: ScriptedCall = ["Write", { file_path: "SRC/b.ts", content: "x" }];
  const asked = await runCalls(dir.path, [widened, ["Write", { file_path: "src/b.ts", content: "x" }]], {
    args: ["--allowed-tools", "Edit(src/**)"],
    env,
  });
  refused([widened], asked.results, HEADLESS);
  succeeded(asked.results[1]);

  // where it does not, the other spelling is another file
  await using plain = await tempDir();
  await using bare_home = await tempDir();
  await plain.write("a.txt", "");
  await plain.write(".ENV", "not the same");
  const other = await runCalls(
    plain.path,
    [["Read", { file_path: ".ENV" }], ["Read", { file_path: ".env" }]],
    {
      args: ["--yolo", "--disallowed-tools", rules],
      env: place(tools, bare_home),
    },
  );
  assert.equal(succeeded(other.results[0]), "1\tnot the same");
  assert.match(failed(other.results[1]), /Read\(\.env\) .*refuses/);
  const after = await snapshot(dir.path);
  assert.deepEqual(Object.keys(after).sort(), [".ENV", ".env", "src/a.ts", "src/b.ts", "victim"]);
});

Deno.test("a refused folder is refused with and without a slash at the end, to tools and to commands", async () => {
  await using dir = await tempDir();
  await dir.write("secrets/key.txt", "folder-canary");
  await dir.write("private/key.txt", "folder-canary");
  await Deno.symlink("secrets", dir.join("alias"));
  const folders = ["secrets", "secrets/", "./secrets//", "private", "private/", "alias/"];
  const calls: ScriptedCall[] = folders.flatMap((folder): ScriptedCall[] => [
    ["Read", { file_path: `${folder}/key.txt` }],
    ["List", { path: folder }],
    ["Grep", { pattern: "canary", path: folder, output_mode: "content" }],
    `cat ${folder}/key.txt`,
    `cd ${folder} && cat key.txt`,
  ]);
  const { results } = await runCalls(dir.path, [...calls, ["Grep", { pattern: "folder-canary" }]], {
    args: ["--yolo", "--disallowed-tools", "Read(./secrets/),Read(private)"],
  });
  refused(calls, results.slice(0, -1), /^Permission denied for \w+: Read\(.*\) .*refuses/);
  assert.match(succeeded(results.at(-1)), /^No matches for .*2 entries closed by deny rules/);
});

testWith(
  "a refused folder with a slash at the end is closed in the sandbox too, to a program that hides its name",
  await findSandbox(),
  async () => {
    await using dir = await tempDir();
    await dir.write("secrets/key.txt", "folder-canary");
    await dir.write("open/key.txt", "open");
    await dir.write("peek.sh", 'd=sec; cat "${d}rets/key.txt"; ls "${d}rets"; cat open/key.txt\n');
    const { results } = await runCalls(dir.path, ["bash peek.sh"], {
      args: ["--permission-mode", "auto", "--disallowed-tools", "Read(./secrets/)"],
      consent: () => true,
    });
    assert.match(results[0]?.content ?? "", /open/);
    assert.doesNotMatch(results[0]?.content ?? "", /folder-canary/);
  },
);

Deno.test("a refused path in the home folder is refused in each way of writing it", async () => {
  await using dir = await tempDir();
  await using home = await tempDir();
  await using tools = await tempDir();
  await Deno.mkdir(tools.join("bin"));
  await home.write(".ssh/id_rsa", "home-canary");
  await home.write(".bashrc", "");
  const up = `../${home.path.split("/").at(-1)}`;
  const commands = [
    "cat ~/.ssh/id_rsa",
    "cat $HOME/.ssh/id_rsa",
    'cat "${HOME}/.ssh/id_rsa"',
    `cat ${home.path}/.ssh/id_rsa`,
    `cat ${up}/.ssh/id_rsa`,
    "cd ~ && cat .ssh/id_rsa",
    "cd ~/.ssh && cat id_rsa",
    "x=~/.ssh; cat $x/id_rsa",
    "cat < ~/.ssh/id_rsa",
    "cp $HOME/.ssh/id_rsa stolen",
    "sh -c 'cat ~/.ssh/id_rsa'",
    "cat $HOME/.ss*/id_rsa",
    "echo x > $HOME/.bashrc",
    "tee -a ~/.bashrc",
  ];
  const calls: ScriptedCall[] = [
    ...commands,
    ["Read", { file_path: "~/.ssh/id_rsa" }],
    ["Read", { file_path: `${up}/.ssh/id_rsa` }],
    ["Grep", { pattern: "canary", path: `${home.path}/.ssh`, output_mode: "content" }],
    ["Edit", { file_path: "~/.bashrc", old_string: "", new_string: "x" }],
  ];
  const { results } = await runCalls(dir.path, calls, {
    args: ["--yolo", "--disallowed-tools", "Read(~/.ssh/**),Edit(~/.bashrc)"],
    env: place(tools, home),
  });
  refused(calls, results, /^Permission (denied|needed) for \w+/);
  for (const { content } of results) assert.doesNotMatch(content, /home-canary/);
  assert.deepEqual(await snapshot(dir.path), {});
  assert.equal(await home.read(".bashrc"), "");
});

Deno.test("a command with characters that cannot be seen is shown with them, and does not run unasked in any mode", async () => {
  await using dir = await tempDir();
  const commands = [
    "echo a\u200b; touch made",
    "echo a\u2066 touch made\u2069",
    "echo\u00a0a",
    "echo a \u3164",
    "ls \u{e0001}x",
  ];
  const shown = [/\\u\{200b\}/, /\\u\{2066\}/, /\\u\{a0\}/, /\\u\{3164\}/, /\\u\{e0001\}/];
  const { results } = await runCalls(dir.path, commands, { args: ["--yolo", "--allowed-tools", "Bash"] });
  refused(commands, results, HEADLESS);
  for (const [at, result] of results.entries()) assert.match(result.content, shown[at] ?? /never/);

  await using provider = await startScriptedProvider({
    turns: [{ tool_calls: [{ name: "Bash", input: { command: commands[0] ?? "" } }] }, { text: "done" }],
  });
  const args = ["-p", "go", "--permission-prompt", "stdio", "--model", "m", "--api-key", "k", "--yolo"];
  const asked = await runLumina([...args, "--base-url", provider.url], { cwd: dir.path, stdin: "n\n" });
  assert.equal(asked.code, 0, asked.stderr);
  assert.match(asked.stderr, /Permission needed for Bash: \{"command":"echo a\\u\{200b\}; touch made"\}/);
  assert.deepEqual(await snapshot(dir.path), {});
});

Deno.test("a condition in [[ ]] that can run code asks, a plain one does not", async () => {
  await using dir = await tempDir();
  const running = [
    "[[ 'a[$(touch made)]' -eq 1 ]]",
    "x='a[$(touch made)]'; [[ $x -eq 1 ]]",
    "[[ -v 'a[$(touch made)]' ]]",
    "[[ a =~ $(touch made) ]]",
  ];
  const plain = [
    "[[ abc =~ ^a.c$ ]] && echo yes",
    "[[ -d . && 2 -gt 1 ]] && echo yes",
    "[[ '$(touch made)' =~ touch ]] && echo yes",
  ];
  const { results } = await runCalls(dir.path, [...running, ...plain], {
    args: ["--allowed-tools", "Bash(echo *)"],
  });
  refused(running, results.slice(0, running.length), HEADLESS);
  for (const result of results.slice(running.length)) assert.equal(succeeded(result), "yes");
  assert.deepEqual(await snapshot(dir.path), {});
});

Deno.test("a link that a repository brings along turns no write, neither a tool's nor the program's own", async () => {
  await using dir = await tempDir();
  await using outside = await tempDir();
  await outside.write("CONFIG/defaults.json", "{}");
  await outside.write("config", "");
  await dir.write("src/a.ts", "");
  for (const name of [".Lumina", ".claude", ".vscode"]) await Deno.symlink(outside.path, dir.join(name));
  await Deno.symlink(outside.path, dir.join(".git"));
  await Deno.symlink(".git", dir.join("innocent"));
  await Deno.symlink("src", dir.join(".idea"));
  const write = (file_path: string): ScriptedCall => ["Write", { file_path, content: "x" }];
  const calls: ScriptedCall[] = [
    write(".Lumina/CONFIG/new.json"),
    write(".claude/settings.json"),
    write(".vscode/tasks.json"),
    write(".git/hooks/pre-commit"),
    write("innocent/hooks/pre-commit"),
    // inside the workspace, yet by a name that grants rights
    write(".idea/b.ts"),
    "echo x > .git/config",
    "touch .Lumina/made",
  ];
  const before = await snapshot(outside.path);
  const { results } = await runCalls(dir.path, [...calls, write("src/c.ts")], {
    args: ["--permission-mode", "accept-edits", "--allowed-tools", "Edit(**),Bash"],
  });
  refused(calls, results.slice(0, -1), HEADLESS);
  succeeded(results.at(-1));
  assert.deepEqual(await snapshot(outside.path), before);
  assert.deepEqual(Object.keys(await snapshot(dir.path)).filter((name) => name.startsWith("src/")).sort(), [
    "src/a.ts",
    "src/c.ts",
  ]);
});

Deno.test("a search through a workspace that holds the AppRoot shows nothing of it; what the session spilled there is found", async () => {
  await using dir = await tempDir();
  await dir.write("notes.txt", "needle\n");
  await dir.write(".lumina/config/settings.json", '{ "api_key": "needle" }');
  const app_root = dir.join(".lumina");
  const spilled = appRootPaths(app_root).spillDir(projectIdentity(dir.path).id, "spilling");
  const { results } = await runCalls(dir.path, [
    ["Grep", { pattern: "needle" }],
    ["Grep", { pattern: "needle", output_mode: "content", follow: true }],
    ["Glob", { pattern: "**/*.json" }],
    "seq 1 20000",
    ["Grep", { pattern: "^9999$", path: spilled, output_mode: "content" }],
  ], { app_root, args: ["--yolo", "--session-id", "spilling"] });
  for (const result of results.slice(0, 3)) assert.doesNotMatch(succeeded(result), /settings|api_key/);
  assert.match(succeeded(results[0]), /^notes\.txt\n/);
  assert.match(succeeded(results[4]), /9999/);
});
