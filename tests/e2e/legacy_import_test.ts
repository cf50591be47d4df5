import assert from "node:assert/strict";
import { join } from "node:path";
import { appRootPaths } from "../../core/app_root/mod.ts";
import { importSession } from "../../core/app/sessions/legacy/import_session.ts";
import { systemWorld } from "../../core/base/mod.ts";
import type { ImportReport } from "../../core/cli/mod.ts";
import { openJournal, readEvents } from "../../core/journal/mod.ts";
import { emptySession, evolve } from "../../core/session/mod.ts";
import type { SessionState } from "../../core/session/mod.ts";
import { messageText } from "../../core/types/mod.ts";
import { RUN_FLAGS } from "../../scripts/run_flags.ts";
import { AgentProject, resultOf, WIRES } from "../support/agent_project.ts";
import type { Line } from "../support/agent_project.ts";
import { LEGACY_TURNS, treeHashes, writeLegacySession } from "../support/legacy_session.ts";
import { REPO_ROOT } from "../support/repo_root.ts";
import { runLumina } from "../support/run_lumina.ts";
import { tempDir } from "../support/temp_dir.ts";

const ID = "0b9c6e52-5a41-4f0e-9d0a-3f0f5e8a1c11";
const NEW_TREE = /^(runtime\.sqlite|meta\.json|migration-v2\.json|\.migration-backup\/v1\/.+)$/;

/** The state that a session's journal folds to. */
async function stateOf(directory: string): Promise<SessionState> {
  const journal = await openJournal(join(directory, "runtime.sqlite"), {
    readonly: true,
    world: systemWorld,
  });
  try {
    let state = emptySession();
    for await (const page of readEvents(journal)) for (const event of page) state = evolve(state, event);
    assert.deepEqual((await journal.verify()).problems, []);
    return state;
  } finally {
    await journal.close();
  }
}

const texts = (state: SessionState) => state.messages.map(messageText).filter((text) => text !== "");
const problemsOf = (report: ImportReport | undefined) =>
  Object.fromEntries(
    report?.files.flatMap(({ name, problem }) => problem === null ? [] : [[name, problem]]) ?? [],
  );

/** Imports a session in this process after `spoil` has had its way with the sources. */
async function imported(
  spoil: (directory: string) => void,
  options: Partial<Parameters<typeof writeLegacySession>[1]> = {},
): Promise<
  { report: ImportReport; state: SessionState; tree: Record<string, string>; before: Record<string, string> }
> {
  await using root = await tempDir();
  const directory = root.join("old-session");
  writeLegacySession(directory, { session_id: "old-session", ...options });
  spoil(directory);
  const before = treeHashes(directory);
  const report = await importSession(directory, { world: systemWorld });
  assert.ok(report);
  const tree = treeHashes(directory);
  // nothing is lost: every source is in the backup, byte for byte
  for (const { name, sha256 } of report.files) {
    if (sha256 !== "") assert.ok(tree[`.migration-backup/v1/${name}`]?.startsWith(sha256), name);
  }
  // and one with a problem is where it was
  for (const { name, problem } of report.files) {
    if (problem !== null && name !== "meta.json" && before[name] !== undefined) {
      assert.equal(tree[name], before[name]);
    }
  }
  assert.equal(await importSession(directory, { world: systemWorld }), undefined);
  assert.deepEqual(treeHashes(directory), tree, "a second open changes nothing");
  return { report, state: await stateOf(directory), tree, before };
}

Deno.test("an old session is imported by the first look at it, and a second look changes no byte", async () => {
  await using app = await tempDir("lumina-root-");
  const directory = appRootPaths(app.path).sessionDir(ID);
  writeLegacySession(directory, { session_id: ID, pinned: true });
  const sources = treeHashes(directory);
  const list = async () => {
    const run = await runLumina(["session", "list", "--all", "--json"], { app_root: app.path });
    assert.equal(run.code, 0, run.stderr);
    return JSON.parse(run.stdout);
  };
  const rows = await list();
  assert.equal(rows.length, 1);
  const { session_id, title, cwd, status, tokens, messages, turns, pinned, created_ts, updated_ts } = rows[0];
  assert.deepEqual({
    session_id,
    title,
    cwd,
    status,
    tokens,
    messages,
    turns,
    pinned,
    created_ts,
    updated_ts,
  }, {
    session_id: ID,
    status: "imported",
    title: LEGACY_TURNS[0]?.prompt,
    cwd: "",
    tokens: 1234,
    messages: 8,
    turns: 4,
    pinned: true,
    created_ts: 1_700_000_000_250,
    updated_ts: 1_700_000_500_500,
  });
  const tree = treeHashes(directory);
  for (const name of Object.keys(tree)) assert.match(name, NEW_TREE);
  const kept = Object.entries(tree).filter(([name]) => name.startsWith(".migration-backup"));
  assert.deepEqual(
    kept.map(([name, hash]) => [name.replace(".migration-backup/v1/", ""), hash.split(" ")[0]]),
    Object.entries(sources).map(([name, hash]) => [name, hash.split(" ")[0]]),
  );
  const report: ImportReport = JSON.parse(await Deno.readTextFile(join(directory, "migration-v2.json")));
  assert.equal(report.messages, 8);
  assert.ok(report.files.every(({ name, sha256 }) => sources[name]?.startsWith(sha256)));
  const used = report.files.filter((file) => file.used).map(({ name }) => name);
  assert.deepEqual(used, ["state.json", "meta.json", "session.sqlite"]);
  assert.deepEqual(await list(), rows);
  const found = await runLumina(["session", "search", String(title), "--json"], { app_root: app.path });
  assert.deepEqual(
    JSON.parse(found.stdout).hits.map((hit: Line) => [hit["role"], hit["title"]]).slice(0, 2),
    [["title", title], ["user", title]],
  );
  const seen = await runLumina(["session", "show", ID, "--json"], { app_root: app.path });
  const calls = JSON.parse(seen.stdout).messages.flatMap((message: Line) => message["calls"]);
  assert.deepEqual(calls.map(({ status }: Line) => status), ["ok", "error"], "calls with a result have run");
  const shown = await runLumina(["session", "history", ID, "--get", "1", "--json"], { app_root: app.path });
  const summary = JSON.parse(shown.stdout);
  assert.deepEqual([summary.title, summary.tags], ["解析器的测试", ["parser", "测试"]]);
  assert.deepEqual(
    summary.messages.map(({ text }: Line) => text),
    [
      LEGACY_TURNS[0]?.prompt,
      "I look.",
      LEGACY_TURNS[0]?.answer,
      LEGACY_TURNS[1]?.prompt,
      "I look.",
      LEGACY_TURNS[1]?.answer,
    ],
  );
  assert.deepEqual(treeHashes(directory), tree);
});

for (const wire of WIRES) {
  for (const form of WIRES) {
    Deno.test(`an imported session of ${form} form goes on over ${wire} with a valid request, and works where it was resumed`, async () => {
      await using project = await AgentProject.open({ turns: [{ text: "on" }, { text: "and on" }] });
      const directory = appRootPaths(project.app_root).sessionDir(ID);
      const result = form === "anthropic"
        ? { role: "user", content: [{ type: "tool_result", tool_use_id: "gone", content: "lost" }] }
        : { role: "tool", tool_call_id: "gone", content: "lost" };
      const call = form === "anthropic"
        ? {
          role: "assistant",
          content: [{ type: "tool_use", id: "open", name: "bash", input: { command: "ls" } }],
        }
        : {
          role: "assistant",
          content: "",
          tool_calls: [{ id: "open", type: "function", function: { name: "bash", arguments: "{not json" } }],
        };
      const system = { role: "system", content: "You are LuminaCode." };
      const first = { role: "assistant", content: "no prompt before me" };
      writeLegacySession(directory, { session_id: ID, form, before: [system, first, result], after: [call] });
      const run = await project.stream("go on", ["--resume", ID], { wire });
      assert.equal(run.code, 0, run.stderr);
      assert.equal(resultOf(run.lines)["result"], "on");
      assert.match(run.stderr, /older LuminaCode, which kept no directory: it works in .*lumina-ws-/);
      const body = JSON.stringify(project.provider.requests[0]?.body);
      for (
        const text of [
          "src/parse.ts:1: export function parse()",
          "1 failed",
          "lost",
          "its outcome is not known",
        ]
      ) {
        assert.ok(body.includes(text), text);
      }
      if (form === wire) return;
      const again = await project.stream("more", ["--continue"], { wire });
      assert.equal(resultOf(again.lines)["result"], "and on");
      assert.equal(again.session_id, ID);
      assert.equal(again.stderr, "");
      const sent = project.provider.requests.map(({ body }) => (body as { messages: Line[] }).messages);
      assert.equal(
        JSON.stringify(sent[1]).startsWith(JSON.stringify(sent[0]).slice(0, -1)),
        true,
        "it extends the first",
      );
    });
  }
}

Deno.test("session import takes over a directory from anywhere, once, and leaves it as it is", async () => {
  await using app = await tempDir("lumina-root-");
  await using other = await tempDir();
  const source = other.join("kept elsewhere");
  writeLegacySession(source, { session_id: ID });
  const before = treeHashes(source);
  const run = (...args: string[]) =>
    runLumina(["session", "import", ...args], { app_root: app.path, cwd: other.path });
  const first = await run("kept elsewhere", "--cwd", ".", "--json");
  assert.equal(first.code, 0, first.stderr);
  const report = JSON.parse(first.stdout);
  assert.deepEqual([report.session_id, report.already, report.messages, report.summaries], [ID, false, 8, 1]);
  assert.deepEqual(treeHashes(source), before);
  const tree = treeHashes(report.directory);
  for (const name of Object.keys(tree)) assert.match(name, NEW_TREE);
  assert.equal((await stateOf(report.directory)).cwd, other.path);
  const second = await run(source);
  assert.deepEqual([second.code, second.stdout], [0, `${ID}: imported before, nothing changed\n`]);
  assert.deepEqual(treeHashes(report.directory), tree);
  await Deno.writeTextFile(join(source, "transcript.md"), "changed");
  const third = await run(source);
  assert.equal(third.code, 5);
  assert.match(third.stderr, /^lumina: Cannot import .*: there is another session 0b9c6e52[^\n]*\n$/);
  const archive = await runLumina(["session", "archive", ID], { app_root: app.path });
  assert.equal(archive.code, 0, archive.stderr);
  assert.equal((await run(source)).code, 5, "the archived one keeps its id");
  assert.equal((await runLumina(["session", "unarchive", ID], { app_root: app.path })).code, 0);
  const none = await run(other.join("nowhere"));
  assert.equal(none.code, 4);
  assert.match(
    none.stderr,
    /^lumina: There is no old session to import at .*nowhere: there is no such file[^\n]*\n$/,
  );
  const empty = await run(other.path);
  assert.deepEqual([empty.code, /it has none of state\.json/.test(empty.stderr)], [4, true]);
  const own = await run(report.directory);
  assert.deepEqual([own.code, /is a session of this Lumina/.test(own.stderr)], [5, true]);
  assert.deepEqual(
    Object.keys(treeHashes(appRootPaths(app.path).dataDir)).filter((name) => name.includes(".import/")),
    [],
  );
});

Deno.test("flat files of an old session get their folder and are imported; a stranger stays", async () => {
  await using app = await tempDir("lumina-root-");
  const { sessionsDir, sessionDir } = appRootPaths(app.path);
  await using other = await tempDir();
  writeLegacySession(other.path, { session_id: "flat-1" });
  await Deno.mkdir(sessionsDir, { recursive: true });
  for (const [name, ending] of [["transcript.jsonl", "jsonl"], ["meta.json", "meta.json"]]) {
    await Deno.copyFile(other.join(name!), join(sessionsDir, `flat-1.${ending}`));
  }
  await Deno.writeTextFile(join(sessionsDir, "notes.txt"), "mine");
  const run = await runLumina(["session", "list", "--all", "--json"], { app_root: app.path });
  assert.deepEqual(JSON.parse(run.stdout).map(({ session_id, messages }: Line) => [session_id, messages]), [[
    "flat-1",
    4,
  ]]);
  assert.deepEqual((await Array.fromAsync(Deno.readDir(sessionsDir), ({ name }) => name)).sort(), [
    "flat-1",
    "notes.txt",
  ]);
  assert.equal((await stateOf(sessionDir("flat-1"))).created_ts, 1_700_000_000_250);
  const elsewhere = join(other.path, "flat-2.jsonl");
  await Deno.copyFile(other.join("transcript.jsonl"), elsewhere);
  const again = await runLumina(["session", "import", elsewhere], { app_root: app.path });
  assert.equal(again.stdout, "flat-2: 4 messages and 0 summaries imported\n", again.stderr);
});

Deno.test("a broken source loses nothing: what is good is imported, what is not is named and stays", async () => {
  const write = (name: string, change: (text: string) => string) => (directory: string) =>
    Deno.writeTextFileSync(join(directory, name), change(Deno.readTextFileSync(join(directory, name))));
  const remove = (...names: string[]) => (directory: string) => {
    for (const name of names) Deno.removeSync(join(directory, name));
  };
  const all = [
    LEGACY_TURNS[0]?.prompt,
    LEGACY_TURNS[0]?.answer,
    LEGACY_TURNS[1]?.prompt,
    LEGACY_TURNS[1]?.answer,
  ];

  // the last line of the transcript is torn, and there is no state
  const torn = await imported((directory) => {
    remove("state.json", "session.sqlite")(directory);
    write("transcript.jsonl", (text) => text.slice(0, -10))(directory);
  });
  assert.deepEqual(problemsOf(torn.report), { "transcript.jsonl": "1 of its lines is not JSON: 4" });
  assert.deepEqual(texts(torn.state), [...all.slice(0, 3), "[The old session ended here.]"]);

  // the state is cut: its whole messages are saved, and the transcript adds what comes after them
  const cut = await imported(write("state.json", (text) => text.slice(0, text.indexOf("toolu_old_2"))));
  assert.match(problemsOf(cut.report)["state.json"] ?? "", /^it is not JSON; 5 messages were saved$/);
  assert.deepEqual(texts(cut.state).at(-1), all[3]);
  const results = cut.state.messages.filter(({ content }) =>
    content.some(({ type }) => type === "tool_result")
  );
  assert.equal(results.length, 1);

  // neither state nor transcript can be read: the old history has the messages
  const history = await imported((directory) => {
    write("state.json", () => "")(directory);
    write("transcript.jsonl", () => "not json\n{\n")(directory);
  });
  assert.deepEqual(problemsOf(history.report), {
    "state.json": "it is empty",
    "transcript.jsonl": "2 of its lines are not JSON: 1, 2",
  });
  assert.deepEqual(texts(history.state), all);

  // nothing but the page for people is left
  const page = await imported(
    remove(
      "state.json",
      "transcript.jsonl",
      "session.sqlite",
      "meta.json",
      "tasks.json",
      "skill-recovery.json",
    ),
  );
  assert.match(texts(page.state)[0] ?? "", /Transcript of an old session[^]*Where is the parser\?[^]*空输入/);

  // a foreign database, a file that is a folder, records that are no messages, wrong generations
  const odd = await imported((directory) => {
    write("session.sqlite", () => "SQLite format 2?")(directory);
    remove("tasks.json")(directory);
    Deno.mkdirSync(join(directory, "tasks.json"));
    write("transcript.jsonl", (text) => `{"role":"wizard"}\n42\n${text}`)(directory);
    write("meta.json", () => "[]")(directory);
  }, { recovery_generation: 6 });
  const problems = problemsOf(odd.report);
  assert.deepEqual(Object.keys(problems).sort(), [
    "meta.json",
    "session.sqlite",
    "skill-recovery.commit.json",
    "skill-recovery.json",
    "tasks.json",
    "transcript.jsonl",
  ]);
  assert.match(problems["session.sqlite"] ?? "", /^it cannot be read: /);
  assert.equal(problems["tasks.json"], "it is not a plain file");
  assert.match(problems["skill-recovery.json"] ?? "", /its generation 6 is not that of state\.json \(7\)/);
  assert.equal(odd.state.messages.length, 8);
});

Deno.test("the transcript adds what came after the state, and older messages stay in the backup", async () => {
  const { report, state } = await imported((directory) => {
    const file = join(directory, "transcript.jsonl");
    const line = (role: string, content: string) => `${JSON.stringify({ role, content })}\n`;
    const early = line("user", "before the compaction") + line("assistant", "long ago");
    Deno.writeTextFileSync(file, early + Deno.readTextFileSync(file) + line("user", "the last word"));
  });
  assert.deepEqual(texts(state).slice(-2), ["the last word", "[The old session ended here.]"]);
  assert.ok(
    report.skipped.includes(
      "2 messages of transcript.jsonl that state.json no longer had stay in the backup",
    ),
  );
});

Deno.test("hostile text is imported unit by unit: U+2028, NUL, a lone surrogate, two megabytes in one line", async () => {
  const prompt = `a\u2028b\u0000c\ud800d ${"長".repeat(700_000)}`;
  const { state, report } = await imported(() => {}, { turns: [{ prompt, answer: "\u2029ok" }] });
  assert.deepEqual(problemsOf(report), {});
  assert.deepEqual(texts(state), [prompt, "\u2029ok"]);
});

Deno.test("a log beside the old database belongs to it", async () => {
  const { report } = await imported((directory) => {
    const [file, copy] = [join(directory, "session.sqlite"), join(directory, "copy")];
    Deno.renameSync(file, copy);
    // a database whose only rows are in its log, as a killed program leaves it
    const script =
      `import { DatabaseSync } from "node:sqlite"; const db = new DatabaseSync(${JSON.stringify(file)});` +
      `db.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; ATTACH ${"'"}${copy}${"'"} AS old;` +
      `CREATE TABLE commits AS SELECT * FROM old.commits"); Deno.kill(Deno.pid, "SIGKILL");`;
    const child = new Deno.Command(Deno.execPath(), { args: ["eval", script], stderr: "null" }).outputSync();
    assert.notEqual(child.code, 0);
    Deno.removeSync(copy);
    assert.ok(Deno.statSync(`${file}-wal`).size > 0);
  });
  assert.equal(report.summaries, 1);
  assert.deepEqual(problemsOf(report), {});
});

Deno.test("a directory that cannot be written is one line and stays as it is; the next try imports", async () => {
  await using app = await tempDir("lumina-root-");
  const directory = appRootPaths(app.path).sessionDir(ID);
  writeLegacySession(directory, { session_id: ID });
  await Deno.writeTextFile(join(directory, ".migration-backup"), "in the way");
  const before = treeHashes(directory);
  const run = await runLumina(["session", "history", ID], { app_root: app.path });
  assert.equal(run.code, 1);
  assert.match(run.stderr, /^lumina: Cannot import the old session in [^\n]*; its files are as they were\n$/);
  assert.deepEqual(treeHashes(directory), before);
  const list = await runLumina(["session", "list", "--all", "--json"], { app_root: app.path });
  assert.deepEqual([list.code, list.stdout], [0, "[]\n"]);
  assert.match(list.stderr, /Cannot import the old session/);
  const taken = await runLumina(["-p", "x", "--session-id", ID, "--model", "m", "--api-type", "anthropic"], {
    app_root: app.path,
    env: { LUMINA_API_KEY: "k" },
  });
  assert.deepEqual([taken.code, /exists already/.test(taken.stderr)], [5, true], taken.stderr);
  await Deno.remove(join(directory, ".migration-backup"));
  const again = await runLumina(["session", "history", ID], { app_root: app.path });
  assert.equal(again.code, 0, again.stderr);
});

/** Runs a command on saved sessions in a world that kills it at a named place. */
async function killedAt(place: string, app_root: string, ...args: string[]): Promise<void> {
  const main = join(REPO_ROOT, "tests", "fault", "failpoint_main.ts");
  const config = join(REPO_ROOT, "deno.json");
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--no-check",
      "--config",
      config,
      ...RUN_FLAGS,
      main,
      place,
      "1",
      "session",
      ...args,
    ],
    env: { LUMINA_APP_ROOT: app_root },
    stdin: "null",
    stderr: "piped",
    stdout: "null",
  });
  const { signal, stderr } = await child.output();
  assert.equal(signal, "SIGKILL", `${place} was not met: ${new TextDecoder().decode(stderr)}`);
}

Deno.test("an import that is killed at any place is done by the next try, and nothing is lost", async () => {
  await using app = await tempDir("lumina-root-");
  const { sessionDir, sessionsDir } = appRootPaths(app.path);
  const places = ["import.backed_up", "import.built", "import.reported", "import.named"];
  await Promise.all(places.map(async (place) => {
    const id = place.replace(".", "-");
    const directory = sessionDir(id);
    writeLegacySession(directory, { session_id: id });
    const sources = treeHashes(directory);
    await killedAt(place, app.path, "history", id);
    const again = await runLumina(["session", "history", id], { app_root: app.path });
    assert.equal(again.code, 0, again.stderr);
    assert.equal((await stateOf(directory)).messages.length, 8);
    const tree = treeHashes(directory);
    for (const [name, hash] of Object.entries(sources)) {
      assert.equal(
        tree[`.migration-backup/v1/${name}`]?.split(" ")[0],
        hash.split(" ")[0],
        `${place}: ${name}`,
      );
    }
    const report: ImportReport = JSON.parse(await Deno.readTextFile(join(directory, "migration-v2.json")));
    assert.equal(report.messages, 8);
    assert.deepEqual(
      Object.keys(tree).filter((name) => name.includes(".import")),
      [],
      "no journal is left half made",
    );
  }));
  await using other = await tempDir();
  writeLegacySession(other.join("from"), { session_id: "from-elsewhere" });
  for (const place of ["import.copied", "import.built", "import.staged"]) {
    await killedAt(place, app.path, "import", other.join("from"));
    assert.equal(
      (await Array.fromAsync(Deno.readDir(sessionsDir))).length,
      places.length,
      `${place}: nothing half made is listed`,
    );
  }
  const done = await runLumina(["session", "import", other.join("from")], { app_root: app.path });
  assert.match(done.stdout, /^from-elsewhere: 8 messages and 1 summary imported\n/, done.stderr);
});
