import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { AgentProject } from "../support/agent_project.ts";
import { tempDir } from "../support/temp_dir.ts";

const ID = "5f3b8f4e-0c1d-4e2f-8a3b-112233445566";
const OTHER = "5f3b9999-0c1d-4e2f-8a3b-112233445566";

/** Every file below a directory with its bytes and time of change, so that nothing can change unseen. */
async function everything(path: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const entry of Deno.readDir(path)) {
    const inside = `${path}/${entry.name}`;
    if (entry.isDirectory) Object.assign(files, await everything(inside));
    else {
      const hash = await crypto.subtle.digest("SHA-256", await Deno.readFile(inside));
      files[inside] = `${(await Deno.stat(inside)).mtime?.getTime()} ${new Uint8Array(hash).toHex()}`;
    }
  }
  return files;
}

/** The command fails with this code and one line. */
async function fails(project: AgentProject, args: string[], code: number, words: RegExp, cwd?: string) {
  const run = await project.run(args, cwd === undefined ? {} : { cwd });
  assert.equal(run.code, code, `${args.join(" ")}: ${run.stderr}${run.stdout}`);
  assert.match(run.stderr, words, args.join(" "));
  assert.match(run.stderr, /^lumina: [^\n]+\n$/);
  assert.equal(run.stdout, "");
}

Deno.test("an unknown id lists the nearest ones, an ambiguous beginning all of them, a path is no id; nothing changes", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "ok", repeat: true }] });
  await using elsewhere = await tempDir();
  await project.run(["-p", "one", "--session-id", ID]);
  await project.run(["-p", "two", "--session-id", OTHER]);
  const before = await everything(project.app_root);
  const typo = ID.replace("0c1d", "0c1b");
  await fails(project, ["session", "show", typo], 4, new RegExp(`no session ${typo}; the nearest: ${ID}`));
  await fails(project, ["-p", "x", "--resume", typo], 4, new RegExp(`; the nearest: ${ID}`));
  await fails(project, ["session", "rename", "5f3c", "t"], 4, new RegExp(`nearest: .*${OTHER}`));
  await fails(
    project,
    ["session", "show", "5f3"],
    4,
    /; give at least the first 4 characters of an id; the nearest/,
  );
  await fails(project, ["session", "archive", "zzzzzzzz"], 4, /no session zzzzzzzz \(lumina session list/);
  await fails(project, ["session", "fork", "5f3b"], 2, new RegExp(`begins 2 session ids.*${ID}`));
  await fails(project, ["-p", "x", "--resume", "5f3b"], 2, /begins 2 session ids/);
  for (const path of ["../x", "/etc", "..", "", `active/${ID}`, `./${ID}`]) {
    await fails(project, ["session", "delete", path, "--yes"], 2, /Not a session id/);
  }
  await fails(project, ["-p", "x", "--resume", "../x"], 2, /Not a session id/);
  await fails(project, ["session", "fork", ID, "--at", "1"], 4, /no message 1: lumina session show/);
  await fails(project, ["session", "fork", ID, "--at", "first"], 2, /number of a message/);
  await fails(project, ["session", "fork", ID, "--title", " "], 2, /title is empty/);
  await fails(project, ["session", "rename", ID, " "], 2, /title is empty/);
  await fails(project, ["session", "rename", ID, "x".repeat(201)], 2, /at most 200/);
  await fails(project, ["session", "list", "--limit", "0"], 2, /whole number from 1/);
  await fails(project, ["session", "list", "--cwd", `${elsewhere.path}/missing`], 2, /Cannot start in/);
  await fails(project, ["session", "list", "--al"], 2, /unknown option '--al'.*lumina session list --help\)/);
  await fails(project, ["session", "shwo", ID], 2, /unknown command 'shwo'/);
  await fails(project, ["storage", "cleanup", "now"], 2, /too many arguments/);
  await fails(
    project,
    ["-p", "x", "--resume", ID],
    5,
    new RegExp(`works in ${project.dir.path}, not in ${elsewhere.path}: add --cwd ${project.dir.path}`),
    elsewhere.path,
  );
  await fails(project, ["-p", "x", "--resume", ID, "--cwd", elsewhere.path], 5, /add --cwd/);
  const after = await everything(project.app_root);
  // the log and the index that SQLite makes beside a file that is read are not the session
  const kept = (files: Record<string, string>) =>
    Object.fromEntries(Object.entries(files).filter(([name]) => !/-(wal|shm)$/.test(name)));
  assert.deepEqual(kept(after), kept(before));
  assert.equal(project.provider.requests.length, 2);
});

Deno.test("what is no journal, or one of a newer version, is one line for every command and stays as it is", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "ok", repeat: true }] });
  await project.run(["-p", "one", "--session-id", ID]);
  const file = `${appRootPaths(project.app_root).sessionDir(ID)}/runtime.sqlite`;
  const whole = await Deno.readFile(file);
  const cases: [words: RegExp, code: number, make: () => Promise<void>][] = [
    [/damaged|not a database|no Lumina journal/, 1, async () => {
      await Deno.writeFile(file, crypto.getRandomValues(new Uint8Array(20_000)));
    }],
    [/no Lumina journal/, 1, async () => {
      await Deno.remove(file);
      const db = new DatabaseSync(file);
      db.exec("CREATE TABLE mine (a); INSERT INTO mine VALUES (1)");
      db.close();
    }],
    [/a newer Lumina wrote it/, 1, async () => {
      await Deno.writeFile(file, whole);
      const db = new DatabaseSync(file);
      db.exec("UPDATE meta SET value = '999' WHERE key = 'schema_version'");
      db.close();
    }],
  ];
  for (const [words, code, make] of cases) {
    await make();
    for (const rest of ["-wal", "-shm"]) await Deno.remove(file + rest).catch(() => {});
    const { mtime } = await Deno.stat(file);
    const bytes = await Deno.readFile(file);
    for (
      const args of [
        ["-p", "x", "--resume", ID],
        ["session", "show", ID],
        ["session", "rename", ID, "title"],
        ["session", "fork", ID],
      ]
    ) await fails(project, args, code, words);
    assert.deepEqual(await Deno.readFile(file), bytes, String(words));
    assert.deepEqual((await Deno.stat(file)).mtime, mtime);
  }
  const sessions = await Array.fromAsync(Deno.readDir(`${project.app_root}/data/sessions`));
  assert.deepEqual(sessions.map(({ name }) => name), ["active"], "no fork was left behind");
  // what cannot be read can be put away and deleted
  assert.equal((await project.run(["session", "archive", ID])).code, 0);
  assert.equal((await project.run(["session", "delete", ID, "--yes"])).code, 0);
});

Deno.test("a session that another process has open: list says so, the rest is one line, exit 5, and nothing changes", async () => {
  await using project = await AgentProject.open({
    turns: [{ text: ["a", "b"], hold: { name: "go", after_frames: 4 } }],
  });
  const first = await project.start(["-p", "long", "--session-id", ID]);
  await using _first = first;
  await first.closeInput();
  await project.provider.waitForRequest(1);
  for (
    const args of [
      ["session", "show", ID],
      ["session", "rename", ID, "t"],
      ["session", "pin", ID],
      ["session", "archive", ID],
      ["session", "delete", ID, "--yes"],
      ["session", "fork", ID],
      ["-p", "x", "--resume", ID, "--fork-session"],
    ]
  ) await fails(project, args, 5, new RegExp(` process ${first.pid} on `));
  const list = JSON.parse((await project.run(["session", "list", "--json"])).stdout);
  assert.deepEqual([list[0].status, list[0].open], ["running", true]);
  project.provider.release("go");
  assert.deepEqual((await first.finished).stdout, "ab\n");
  const done = await project.run(["session", "rename", ID, "t"]);
  assert.equal(done.code, 0, done.stderr);
});
