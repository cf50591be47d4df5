import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { SessionStore } from "../../core/app/sessions/session_store.ts";
import { snapshotFile } from "../../core/app/sessions/capture_hook.ts";
import { systemWorld } from "../../core/base/mod.ts";
import { SnapshotStore } from "../../core/rewind/mod.ts";
import { readSummary } from "../../core/session/mod.ts";
import type { JsonObject } from "../../core/types/mod.ts";
import { AgentProject, payload } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";

const IDS = ["aaaa", "bbbb", "cccc", "dddd"].map((part) => `${part}1111-0c1d-4e2f-8a3b-112233445566`);
const [A, B, C, D] = IDS as [string, string, string, string];
const DAY = 86_400_000;

/** Lets a session seem to be this many days old, for everything that reads its summary. */
async function age(project: AgentProject, id: string, days: number): Promise<void> {
  const { directory } = new SessionStore(appRootPaths(project.app_root), systemWorld).find(id);
  const updated_ts = Date.now() - days * DAY;
  const summary = { ...readSummary(directory), created_ts: updated_ts, updated_ts };
  await Deno.writeTextFile(`${directory}/meta.json`, JSON.stringify(summary));
}

async function settings(project: AgentProject, values: JsonObject): Promise<void> {
  const file = appRootPaths(project.app_root).settingsFile;
  await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(file, JSON.stringify(values));
}

async function json(project: AgentProject, ...args: string[]): Promise<Line> {
  const run = await project.run(["storage", ...args, "--json"]);
  assert.equal(run.code, 0, run.stderr);
  return JSON.parse(run.stdout);
}

/** What a cleanup does, or would do, as `verb name`. */
function verbs(report: Line): string[] {
  return (report["actions"] as Line[]).map((action) => {
    const verb = action["would_archive"] ? "archive" : "delete";
    const done = action["archived"] || action["deleted"];
    return `${done ? "did" : "would"} ${verb} ${action["session_id"].slice(0, 4)}`;
  }).sort();
}

async function names(path: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name).sort();
}

Deno.test("retention_days, retention_archive, retention_max_sessions and retention_max_bytes decide what storage cleanup takes; only --enforce does it", async () => {
  await using project = await AgentProject.open({ turns: [{ text: "ok", repeat: true }] });
  const paths = appRootPaths(project.app_root);
  for (const id of IDS) await project.run(["-p", "go", "--session-id", id]);
  await age(project, A, 90);
  await age(project, B, 60);
  await age(project, C, 5);
  const { actions: none } = await json(project, "cleanup", "--enforce");
  assert.deepEqual(none, [], "no rule takes nothing");

  await settings(project, { retention_days: 30 });
  assert.deepEqual(verbs(await json(project, "cleanup")), ["would archive aaaa", "would archive bbbb"]);
  assert.deepEqual(await names(paths.sessionsDir), IDS, "a look ahead changes nothing");
  await settings(project, { retention_days: 75 });
  const enforced = await json(project, "cleanup", "--enforce");
  assert.deepEqual(verbs(enforced), ["did archive aaaa"]);
  assert.equal(enforced["enforced"], true);
  assert.deepEqual([await names(paths.sessionsDir), await names(paths.archiveDir)], [[B, C, D], [A]]);
  assert.deepEqual(verbs(await json(project, "cleanup")), [], "the archive is left alone");

  await settings(project, { retention_max_sessions: 2 });
  assert.deepEqual(verbs(await json(project, "cleanup")), ["would archive bbbb"]);
  await project.run(["session", "pin", B]);
  await age(project, B, 60);
  const pinned = await json(project, "cleanup");
  assert.deepEqual(verbs(pinned), ["would archive cccc"]);
  assert.deepEqual(pinned["skipped"], [{ session_id: B, reason: "pinned (more than 2 sessions)" }]);

  await settings(project, { retention_max_bytes: 1 });
  const budget = await json(project, "cleanup");
  assert.deepEqual(verbs(budget), ["would delete aaaa", "would delete cccc"]);
  assert.deepEqual(
    (budget["skipped"] as Line[]).map(({ reason }) => reason),
    ["pinned (more than 1 bytes)", "used within 24 hours (more than 1 bytes)"],
  );
  await settings(project, { retention_days: 75, retention_archive: false });
  const text = await project.run(["storage", "cleanup"]);
  assert.match(
    text.stdout,
    new RegExp(
      `^would delete {2}session ${A} \\(\\d+\\.\\d kB\\): not used for more than 75 days\nNothing was changed: --enforce does it\n$`,
    ),
  );
  const done = await project.run(["storage", "cleanup", "--enforce"]);
  assert.match(done.stdout, new RegExp(`^deleted {2}session ${A} `));
  assert.deepEqual(await names(paths.archiveDir), []);
  // what was archived by a rule goes on as it was
  await settings(project, { retention_days: 3 });
  assert.deepEqual(verbs(await json(project, "cleanup", "--enforce")), ["did archive cccc"]);
  assert.equal((await project.run(["session", "unarchive", C])).code, 0);
  assert.equal((await project.run(["-p", "on", "--resume", C])).stdout, "ok\n");
});

Deno.test("storage cleanup removes what crashes and deleted sessions left, and nothing that it does not know", async () => {
  await using project = await AgentProject.open({
    turns: [
      { match: "long", tool_calls: [{ name: "Bash", input: { command: "seq 1 30000" } }] },
      { text: "ok", repeat: true },
    ],
  });
  const paths = appRootPaths(project.app_root);
  await project.run(["-p", "long", "--session-id", A, "--permission-mode", "yolo"]);
  const sessions = `${paths.dataDir}/sessions`;
  const old = new Date(Date.now() - 2 * DAY);
  const make = async (path: string, file: string, content: string, when = old) => {
    await Deno.mkdir(path, { recursive: true });
    await Deno.writeTextFile(`${path}/${file}`, content);
    await Deno.utime(path, when, when);
  };
  await make(`${sessions}/.fork-x1`, "runtime.sqlite", "half");
  await make(`${sessions}/.deleted-x2`, "meta.json", "{}");
  await make(`${sessions}/.import/x3`, "transcript.jsonl", "half");
  await make(`${sessions}/.import/x4`, "transcript.jsonl", "at work", new Date());
  await make(`${paths.tmpDir}/rescue-abc`, "runtime.sqlite", "copy");
  await make(`${sessions}/.fork-new`, "runtime.sqlite", "at work", new Date());
  await make(paths.sessionDir("never-began"), "runtime.sqlite", "");
  await make(paths.sessionDir("with-notes"), "notes.txt", "mine");
  await Deno.writeTextFile(`${paths.sessionsDir}/a-file.txt`, "mine");
  const [project_id] = await names(`${paths.stateDir}/projects`);
  await make(paths.spillDir(project_id!, "gone-session"), "result-1.txt", "y".repeat(1000));
  await Deno.writeTextFile(`${paths.spillDir(project_id!, "x")}.txt`, "mine");
  await make(`${sessions}/backup/gone-20260101T000000Z-abcd`, "runtime.sqlite", "damaged");
  await make(`${sessions}/backup/mine`, "notes.txt", "mine");
  await make(`${paths.stateDir}/backups/journals`, `${A}.schema-1.sqlite`, "older");

  const status = await json(project, "status");
  assert.deepEqual([status["sessions"].count, status["archives"].count], [1, 0]);
  assert.equal(status["tool_results"].count, 2);
  assert.ok(status["tool_results"].bytes > 100_000, "30,000 lines were spilled");
  assert.deepEqual(
    status["projects"].map((one: Line) => [one["cwd"], one["sessions"].count, one["tool_results"].count]),
    [[project.dir.path, 1, 1]],
  );
  assert.equal(status["retention"].enforced, false);
  assert.deepEqual(status["backups"], { count: 2, bytes: 12 });
  const table = await project.run(["storage", "status"]);
  assert.match(table.stdout, new RegExp(`\n  sessions +1 session, \\d+\\.\\d kB\n`));
  assert.match(
    table.stdout,
    /\nCleanup would take 7 of these and free 1\.0 kB: lumina storage cleanup shows which\n$/,
  );

  const report = await json(project, "cleanup", "--enforce");
  assert.deepEqual(
    (report["actions"] as Line[]).map(({ type, session_id, deleted }) => [type, session_id, deleted]).sort(),
    [
      ["orphan", "", true],
      ["orphan", "gone", true],
      ["orphan", "never-began", true],
      ["orphan", "x1", true],
      ["orphan", "x2", true],
      ["orphan", "x3", true],
      ["tool-results", "gone-session", true],
    ],
  );
  assert.deepEqual(await names(sessions), [".fork-new", ".import", "active", "backup"]);
  assert.deepEqual([await names(`${sessions}/.import`), await names(paths.tmpDir)], [["x4"], []]);
  assert.deepEqual(await names(`${sessions}/backup`), ["mine"]);
  assert.deepEqual(await names(paths.sessionsDir), ["a-file.txt", A, "with-notes"].sort());
  assert.deepEqual(await names(`${paths.stateDir}/projects/${project_id}/tool-results`), [A, "x.txt"]);
  assert.equal((await json(project, "cleanup"))["actions"].length, 0);
  assert.equal((await project.run(["session", "delete", A, "--yes"])).code, 0);
  assert.deepEqual(await names(`${paths.stateDir}/backups/journals`), [], "its copies go with a session");
});

Deno.test("a deleted session's snapshots go, but those that its fork can still go back to", async () => {
  const write = (file: string) => ({
    tool_calls: [{ name: "Write", input: { file_path: file, content: `${file}\n` } }],
  });
  await using project = await AgentProject.open({
    turns: [write("one.txt"), { text: "ok" }, write("two.txt"), { text: "ok" }],
  });
  const paths = appRootPaths(project.app_root);
  const yolo = ["--permission-mode", "yolo"];
  await project.run(["-p", "go", "--session-id", A, ...yolo]);
  await project.run(["-p", "go", "--session-id", B, ...yolo]);
  const forked = (await project.run(["session", "fork", A])).stdout.trim();
  const [project_id] = await names(`${paths.dataDir}/projects`);
  const snapshots = () => {
    const store = SnapshotStore.open(snapshotFile(paths, project_id!), { create: false });
    const found = new Set(store.snapshots().map(({ hash }) => hash));
    store.close();
    return [...found].sort();
  };
  const captured = (await project.journal(forked)).filter(({ type }) => type === "checkpoint.captured");
  const shared = new Set(captured.map((event) => payload(event)["snapshot"] as string));
  assert.ok(shared.size > 0 && snapshots().length > shared.size);
  assert.ok((await json(project, "status"))["rewind"].bytes > 0);
  const run = await project.run(["session", "delete", A, B, "--yes"]);
  assert.deepEqual([run.code, run.stderr], [0, ""]);
  assert.deepEqual(snapshots(), [...shared].sort(), "the fork keeps what it shares");
  await project.run(["session", "delete", forked, "--yes"]);
  assert.deepEqual(snapshots(), []);
});

Deno.test("a running session that keeps the store below its limit takes what gone sessions left, and nothing that a fork shares", async () => {
  const write = (file: string) => ({
    tool_calls: [{ name: "Write", input: { file_path: file, content: `${file}\n` } }],
  });
  await using project = await AgentProject.open({
    turns: ["one.txt", "two.txt", "three.txt"].flatMap((file) => [write(file), { text: "ok" }]),
  });
  const paths = appRootPaths(project.app_root);
  const yolo = ["--permission-mode", "yolo"];
  await project.run(["-p", "go", "--session-id", A, ...yolo]);
  const forked = (await project.run(["session", "fork", A])).stdout.trim();
  assert.equal((await project.run(["session", "delete", A, "--yes"])).code, 0);
  const noise = project.dir.join("noise.bin");
  await Deno.writeFile(noise, randomBytes(2_000_000));
  await project.run(["-p", "go", "--session-id", B, ...yolo]);
  await Deno.remove(noise);
  await Deno.remove(paths.sessionDir(B), { recursive: true });
  const settings = { REWIND_MAX_STORE_BYTES: "1000000" };
  const run = await project.run(["-p", "go", "--session-id", C, ...yolo], { settings });
  assert.deepEqual([run.code, run.stderr], [0, ""]);
  const [project_id] = await names(`${paths.dataDir}/projects`);
  const store = SnapshotStore.open(snapshotFile(paths, project_id!), { create: false });
  const owners = new Set(store.snapshots().map(({ session_id }) => session_id));
  store.close();
  assert.deepEqual([...owners].sort(), [C, forked].sort());
  const [first] = (await project.journal(forked)).filter(({ type }) => type === "run.started");
  const rewind = ["session", "rewind", forked, "--to", String(first!.seq), "--files", "--force"];
  const back = await project.run(rewind);
  assert.equal(back.code, 0, back.stderr);
  assert.deepEqual(await names(project.dir.path), []);
});
