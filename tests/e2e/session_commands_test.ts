import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { SessionStore } from "../../core/app/sessions/session_store.ts";
import { systemWorld } from "../../core/base/mod.ts";
import { writeSummary } from "../../core/session/mod.ts";
import { AgentProject, payload } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { luminaCommand } from "../support/run_lumina.ts";
import { testWith } from "../support/skip.ts";
import { tempDir } from "../support/temp_dir.ts";

const A = "aaaa1111-0c1d-4e2f-8a3b-112233445566";
const B = "bbbb2222-0c1d-4e2f-8a3b-112233445566";
const C = "cccc3333-0c1d-4e2f-8a3b-112233445566";
const YOLO = ["--permission-mode", "yolo"];

function paths(project: AgentProject) {
  const root = appRootPaths(project.app_root);
  return {
    dir: (id: string) => root.sessionDir(id),
    archive: (id: string) => `${root.archiveDir}/${id}`,
    journal: (id: string) => `${root.sessionDir(id)}/runtime.sqlite`,
    meta: (id: string) => `${root.sessionDir(id)}/meta.json`,
  };
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

/** Runs a command that must end well; gives what it printed. */
async function said(project: AgentProject, args: string[], cwd?: string): Promise<string> {
  const run = await project.run(args, cwd === undefined ? {} : { cwd });
  assert.equal(run.code, 0, `${args.join(" ")}: ${run.stderr}`);
  return run.stdout;
}

async function rows(project: AgentProject, ...args: string[]): Promise<Line[]> {
  return JSON.parse(await said(project, ["session", "list", "--json", ...args]));
}

Deno.test("session list shows this directory's sessions, --all every directory's, pinned first, then the newest", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "ok", repeat: true }] });
  await using elsewhere = await tempDir();
  await project.run(["-p", "first", "--session-id", A]);
  await project.run(["-p", "second", "--session-id", B]);
  await project.run(["-p", "other place", "--session-id", C], { cwd: elsewhere.path });
  assert.equal(await said(project, ["session", "pin", "aaaa"]), `${A}: pinned\n`);
  assert.equal(
    await said(project, ["session", "rename", A, "A title", "of", "my own"]),
    `${A}: A title of my own\n`,
  );
  const own = await rows(project);
  assert.deepEqual(own.map((row) => [row["session_id"], row["title"], row["pinned"]]), [
    [A, "A title of my own", true],
    [B, "second", false],
  ]);
  const { project_id, cwd, turns, status, open, archived, forked_from } = own[1]!;
  assert.deepEqual({ cwd, turns, status, open, archived, forked_from }, {
    cwd: project.dir.path,
    turns: 1,
    status: "success",
    open: false,
    archived: false,
    forked_from: null,
  });
  assert.ok(project_id.length > 16);
  assert.deepEqual((await rows(project, "--all")).map((row) => row["session_id"]), [A, C, B]);
  assert.deepEqual((await rows(project, "--cwd", elsewhere.path)).map((row) => row["session_id"]), [C]);
  const before = await said(project, ["--cwd", elsewhere.path, "session", "list", "--json"]);
  assert.equal(JSON.parse(before)[0].session_id, C, "--cwd before the command means the same");
  const table = await said(project, ["session", "list", "--all", "--limit", "2"]);
  const [first, title, blank, second] = [1, 2, 3, 4].map((line) => table.split("\n")[line]);
  assert.match(first!, new RegExp(`^  ${A}  20..-..-.. ..:..Z  success  1 turn  \\d+ tokens .*pinned$`));
  assert.deepEqual([title, blank, second], ["    A title of my own", "", elsewhere.path]);
  assert.match(table, /\n1 more: --limit 3 or --json shows them\n$/);
  assert.equal(table.split("\n")[0], project.dir.path);
  assert.equal(await said(project, ["--list"]), await said(project, ["session", "list", "--all"]));
  const events = await project.journal(A);
  assert.deepEqual(
    events.filter(({ type }) => type === "session.titled").map((event) => payload(event)),
    [{ by: "user", title: "A title of my own" }],
  );
  await said(project, ["session", "unpin", A]);
  assert.deepEqual((await rows(project)).map((row) => row["pinned"]), [false, false]);
});

Deno.test("a list reads meta.json alone: a damaged one is made again from the journal, what cannot be read is named in one line", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "ok", repeat: true }] });
  const { meta, journal, dir } = paths(project);
  await project.run(["-p", "first", "--session-id", A]);
  await project.run(["-p", "second", "--session-id", B]);
  const kept = await Deno.readTextFile(meta(A));
  await Deno.writeTextFile(meta(A), kept.slice(0, 20));
  assert.deepEqual((await rows(project)).map((row) => row["title"]), ["second", "first"]);
  // a running session writes its own clock's times, which are some milliseconds from those of the events
  const timeless = (text: string) => ({ ...JSON.parse(text), created_ts: 0, updated_ts: 0 });
  assert.deepEqual(timeless(await Deno.readTextFile(meta(A))), timeless(kept));
  await Deno.remove(meta(B));
  await Deno.writeTextFile(journal(B), "no database at all, but long enough to be read as one".repeat(40));
  const broken = await project.run(["session", "list", "--json"]);
  assert.deepEqual((JSON.parse(broken.stdout) as Line[]).map((row) => row["session_id"]), [A]);
  assert.match(broken.stderr, new RegExp(`^lumina: The session ${B} [^\n]+\n$`));
  await Deno.remove(dir(B), { recursive: true });
  // a thousand sessions: only their meta.json is there to be read
  const store = new SessionStore(appRootPaths(project.app_root), systemWorld);
  const state = await store.state(store.find(A));
  for (let n = 0; n < 1000; n++) {
    const id = `copy-${String(n).padStart(4, "0")}`;
    await Deno.mkdir(dir(id));
    writeSummary(dir(id), { ...state, session_id: id, updated_ts: state.updated_ts + n });
  }
  const table = await said(project, ["session", "list"]);
  assert.equal(table.match(/ {2}copy-/g)?.length, 50);
  assert.match(table, /\n951 more: --limit 1001 or --json shows them\n$/);
  assert.ok(table.indexOf("copy-0999") < table.indexOf("copy-0998"));
  assert.equal((await rows(project)).length, 1001, "JSON has all");
});

Deno.test("session show has the conversation as it now is, with message numbers; --tools adds a line per call", async () => {
  await using project = await AgentProject.open({
    turns: [
      {
        text: "I look.",
        thinking: "secret thought",
        tool_calls: [{ name: "Bash", input: { command: "echo out" } }],
      },
      { tool_calls: [{ name: "Bash", input: { command: "exit 7" } }] },
      { text: "done" },
    ],
  });
  await project.run(["-p", "list the folder\nplease", "--session-id", A, ...YOLO]);
  const events = await project.journal(A);
  const at = (type: string, n = 0) => events.filter((event) => event.type === type)[n]?.seq;
  const plain = await said(project, ["session", "show", "aaaa"]);
  for (
    const line of [
      "title:         list the folder",
      `session:       ${A}`,
      `project:       ${project.dir.path}`,
      "model:         scripted-model",
      "mode:          yolo",
      "status:        success",
      "turns:         3",
    ]
  ) assert.ok(plain.includes(`${line}\n`), `${line} is in ${plain}`);
  const conversation = plain.slice(plain.indexOf("\n#")).replaceAll(/20..-..-.. ..:..:..Z/g, "TIME");
  assert.equal(
    conversation,
    `\n#${at("run.started")} user TIME\nlist the folder\nplease\n\n#${
      at("model.answered")
    } assistant TIME\nI look.\n` +
      `\n#${at("model.answered", 1)} assistant TIME\n(calls Bash)\n\n#${
        at("model.answered", 2)
      } assistant TIME\ndone\n`,
  );
  const tools = await said(project, ["session", "show", A, "--tools"]);
  assert.match(tools, /\nI look\.\n {2}Bash \{"command":"echo out"\}\n/);
  assert.match(tools, /assistant [^\n]+\n {2}Bash \{"command":"exit 7"\} {2}-> failed\n/);
  assert.doesNotMatch(plain + tools, /secret thought|Working directory|exit code/i);
  // as a crash leaves it: the second call had started, and nobody knows what it did
  const started = at("tool.started", 1)!;
  const db = new DatabaseSync(paths(project).journal(A));
  db.exec(`DELETE FROM events WHERE seq > ${started}`);
  db.exec(
    `UPDATE meta SET value = (SELECT seq || ' ' || chain FROM events ORDER BY seq DESC LIMIT 1) WHERE key = 'head'`,
  );
  db.close();
  await Deno.remove(paths(project).meta(A)); // it knows of more than a crash could have left
  const crashed = await said(project, ["session", "show", A]);
  assert.match(crashed, /status: +interrupted\n/);
  assert.match(crashed, /\n\(calls Bash\)\n {2}Bash \{"command":"exit 7"\} {2}-> outcome unknown: [^\n]+\n$/);
  assert.equal((await project.journal(A)).length, started, "showing writes nothing");
});

Deno.test("an archived session is out of the lists, can be shown, and comes back whole", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "A" }, { text: "B" }] });
  const { dir, archive } = paths(project);
  await project.run(["-p", "first", "--session-id", A]);
  const before = await project.journal(A);
  assert.equal(await said(project, ["session", "archive", A]), `${A}: archived\n`);
  assert.equal(await said(project, ["session", "archive", A]), `${A}: archived already\n`);
  assert.deepEqual([await exists(dir(A)), await exists(archive(A))], [false, true]);
  assert.deepEqual(await rows(project), []);
  assert.deepEqual((await rows(project, "--archived")).map((row) => [row["session_id"], row["archived"]]), [[
    A,
    true,
  ]]);
  assert.match(await said(project, ["session", "show", A]), /status: +archived\n/);
  for (const flag of ["--resume", "--session-id"]) {
    const run = await project.run(["-p", "x", flag, A]);
    assert.equal(run.code, 5, flag);
    assert.match(run.stderr, new RegExp(`^lumina: [^\n]* archived: [^\n]*lumina session unarchive ${A}\n$`));
  }
  assert.equal((await project.run(["-p", "x", "--continue"])).code, 4);
  assert.equal(await said(project, ["session", "unarchive", "aaaa"]), `${A}: active\n`);
  assert.deepEqual(await project.journal(A), before);
  assert.equal(await said(project, ["-p", "second", "--resume", A]), "B\n");
});

Deno.test("session delete takes the session and its tool output; without --yes nobody is asked and nothing goes", async () => {
  await using project = await AgentProject.open({
    turns: [
      { tool_calls: [{ name: "Bash", input: { command: "seq 1 30000" } }] },
      { text: "ok", repeat: true },
    ],
  });
  const { dir } = paths(project);
  await project.run(["-p", "first", "--session-id", A, ...YOLO]);
  await project.run(["-p", "second", "--session-id", B]);
  const [row] = await rows(project, "--limit", "2").then((all) =>
    all.filter((one) => one["session_id"] === A)
  );
  const spill = appRootPaths(project.app_root).spillDir(row!["project_id"], A);
  assert.ok(await exists(spill), "the long output was spilled");
  assert.match(await said(project, ["session", "search", "second"]), /bbbb2222/);
  const indexed = () => {
    const db = new DatabaseSync(`${appRootPaths(project.app_root).cacheDir}/session-search.sqlite`);
    const found = db.prepare("SELECT id FROM sessions").all();
    db.close();
    return found.length;
  };
  assert.equal(indexed(), 2);
  const unsure = await project.run(["session", "delete", A, B]);
  assert.equal(unsure.code, 3);
  assert.match(unsure.stderr, /^lumina: Nothing was deleted: [^\n]*2 sessions[^\n]*--yes[^\n]*\n$/);
  await said(project, ["session", "pin", B]);
  const pinned = await project.run(["session", "delete", A, B, "--yes"]);
  assert.equal(pinned.code, 5);
  assert.match(pinned.stderr, /^lumina: [^\n]*pinned[^\n]*--force[^\n]*\n$/);
  const unknown = await project.run(["session", "delete", A, "aaab", "--yes"]);
  assert.equal(unknown.code, 4);
  assert.deepEqual([await exists(dir(A)), await exists(dir(B)), await exists(spill)], [true, true, true]);
  assert.equal(
    await said(project, ["session", "delete", A, "bbbb", A, "--yes", "--force"]),
    `${A}: deleted\n${B}: deleted\n`,
  );
  assert.deepEqual([await exists(dir(A)), await exists(dir(B)), await exists(spill)], [false, false, false]);
  assert.equal(indexed(), 0, "the search index forgets them at once");
  assert.deepEqual(await rows(project), []);
  const left = await Array.fromAsync(Deno.readDir(`${project.app_root}/data/sessions`));
  assert.deepEqual(left.map(({ name }) => name), ["active"], "nothing half-deleted stays");
});

/** Runs a command on a terminal of its own (util-linux `script`) and types `input`. */
async function onTerminal(project: AgentProject, args: string[], input: string): Promise<string> {
  const { program, flags } = luminaCommand();
  const line = [program, ...flags, ...args].map((word) => `'${word}'`).join(" ");
  const child = new Deno.Command("script", {
    args: ["-qec", line, "/dev/null"],
    cwd: project.dir.path,
    env: { LUMINA_APP_ROOT: project.app_root, NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const output = new Response(child.stdout).text();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  await child.status;
  return await output;
}

const has_script = await new Deno.Command("sh", {
  args: ["-c", "script --version"],
  stdout: "null",
  stderr: "null",
})
  .output();

testWith(
  "on a terminal session delete shows what it would delete and asks; only yes deletes",
  has_script.success ? {} : { skip: "util-linux's script is not installed" },
  async () => {
    await using project = await AgentProject.open({ turns: [{ text: "ok" }] });
    await project.run(["-p", "first", "--session-id", A]);
    const no = await onTerminal(project, ["session", "delete", A], "n\n");
    assert.match(no, new RegExp(`  ${A}  first\r?\nDelete for good\\? `));
    assert.match(no, /Nothing was deleted/);
    assert.ok(await exists(paths(project).dir(A)));
    const yes = await onTerminal(project, ["session", "delete", A], "y\n");
    assert.match(yes, new RegExp(`${A}: deleted`));
    assert.equal(await exists(paths(project).dir(A)), false);
  },
);
