import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { sha256, systemWorld } from "../../core/base/mod.ts";
import { openJournal, openJournalWorker, REDACTED_EVENT } from "../../core/journal/mod.ts";
import { rejectsWith } from "../conformance/journal_suite.ts";
import { testWith } from "../support/skip.ts";
import { canMount, mountDisk, unmountDisk } from "../support/small_disk.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";

const world = systemWorld;
const CHILD = fileURLToPath(new URL("./journal_migration_child.ts", import.meta.url));
const worker_url = new URL("../../core/journal/worker.ts", import.meta.url);
const EVENTS = 12;

/** The tables as schema 1 had them. */
const SCHEMA_1 = [
  "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
  `CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    stream_id TEXT NOT NULL,
    stream_seq INTEGER NOT NULL,
    type TEXT NOT NULL,
    version INTEGER NOT NULL,
    ts INTEGER NOT NULL,
    run_id TEXT,
    step_id TEXT,
    causation_id TEXT,
    payload TEXT,
    payload_hash TEXT NOT NULL,
    chain TEXT NOT NULL,
    blob_refs TEXT,
    UNIQUE (stream_id, stream_seq)
  )`,
  "CREATE TABLE blobs (sha256 TEXT PRIMARY KEY, bytes BLOB NOT NULL, size INTEGER NOT NULL)",
  "CREATE TABLE commands (key TEXT PRIMARY KEY, request_hash TEXT NOT NULL, result TEXT NOT NULL)",
  `CREATE TABLE projections (
    name TEXT PRIMARY KEY, version INTEGER NOT NULL, seq INTEGER NOT NULL, state TEXT NOT NULL, hash TEXT NOT NULL
  )`,
  "CREATE TABLE consumer_offsets (consumer TEXT PRIMARY KEY, seq INTEGER NOT NULL)",
  `CREATE TABLE checkpoints (
    name TEXT PRIMARY KEY, stream_id TEXT NOT NULL, seq INTEGER NOT NULL, state TEXT NOT NULL, hash TEXT NOT NULL
  )`,
];

/** A journal as the first release wrote it: rows, a blob, a command. */
async function firstRelease(dir: TempDir, folder: string): Promise<{ path: string; backup_dir: string }> {
  await Deno.mkdir(dir.join(folder), { recursive: true });
  const path = dir.join(folder, "runtime.sqlite");
  const db = new DatabaseSync(path);
  db.exec("PRAGMA journal_mode = WAL");
  for (const table of SCHEMA_1) db.exec(table);
  const event = db.prepare(
    "INSERT INTO events VALUES (?,'session',?,'a.step',1,1700000000000,?,NULL,NULL,?,?,?,?)",
  );
  let chain = "0".repeat(64);
  for (let seq = 1; seq <= EVENTS; seq++) {
    const payload = JSON.stringify({ text: seq === 5 ? "long ".repeat(5_000) : `event ${seq}` });
    const hash = sha256(payload);
    chain = sha256(`${chain}\n${seq}\na.step\n${hash}`);
    const in_blob = payload.length > 16_384;
    if (in_blob) {
      db.prepare("INSERT INTO blobs VALUES (?,?,?)").run(
        hash,
        new TextEncoder().encode(payload),
        payload.length,
      );
    }
    event.run(
      seq,
      seq,
      seq % 2 ? "run" : null,
      in_blob ? null : payload,
      hash,
      chain,
      in_blob ? `["${hash}"]` : null,
    );
  }
  const result = { first_seq: 1, last_seq: 1, version: 1, value: "answer" };
  db.prepare("INSERT INTO commands VALUES ('k', 'h', ?)").run(JSON.stringify(result));
  db.prepare("INSERT INTO meta VALUES ('schema_version', '1'), ('head', ?)").run(`${EVENTS} ${chain}`);
  db.close();
  return { path, backup_dir: dir.join("backups") };
}

function schemaOf(path: string): { version: number; tables: string[] } {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const version = Number(db.prepare("SELECT value FROM meta WHERE key = 'schema_version'").get()?.value);
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'step%' ORDER BY name").all();
    return { version, tables: tables.map(({ name }) => String(name)) };
  } finally {
    db.close();
  }
}

Deno.test("a journal of the first release is brought up to date, keeps everything and a copy of what it was", async () => {
  await using dir = await tempDir();
  for (const [folder, threaded] of [["one", false], ["two", true]] as const) {
    const { path, backup_dir } = await firstRelease(dir, folder);
    const journal = threaded
      ? openJournalWorker(path, { world, worker_url, backup_dir })
      : await openJournal(path, { world, backup_dir });
    assert.deepEqual(await journal.verify(), { ok: true, events: EVENTS, problems: [] });
    const events = await journal.read();
    assert.deepEqual(events[0]?.payload, { text: "event 1" });
    assert.equal((events[4]?.payload as { text: string }).text.length, 25_000);
    assert.equal(
      (await journal.append("session", EVENTS, [{ type: "a.new", version: 1, payload: null }])).last_seq,
      13,
    );
    assert.deepEqual(await journal.command("k"), { request_hash: "h", result: "answer" });
    await journal.redact({ seqs: [5], reason: "test", by: "test" });
    assert.equal((await journal.read())[4]?.type, REDACTED_EVENT);
    await journal.close();
    assert.equal(schemaOf(path).version, 2);
    const again = await openJournal(path, { world });
    assert.deepEqual(await again.verify(), { ok: true, events: 14, redacted: 1, problems: [] });
    await again.close();
    const copy = `${backup_dir}/${folder}.schema-1.sqlite`;
    assert.equal(schemaOf(copy).version, 1);
    assert.equal((await Deno.stat(copy)).mode! & 0o777, 0o600);
    const old = await openJournal(copy, { world, readonly: true });
    assert.deepEqual(await old.read(), events, "the copy is a whole journal");
    await old.close();
  }
});

Deno.test("a journal of the first release can be read without being changed, and is not written without a copy", async () => {
  await using dir = await tempDir();
  const { path, backup_dir } = await firstRelease(dir, "one");
  const journal = await openJournal(path, { world, readonly: true, backup_dir });
  assert.equal((await journal.read()).length, EVENTS);
  assert.equal((await journal.verify()).ok, true);
  await journal.close();
  const error = await rejectsWith(openJournal(path, { world }), "journal.readonly");
  assert.match(error.message, /an older Lumina wrote it \(schema 1\)/);
  assert.equal(schemaOf(path).version, 1);
  await assert.rejects(Deno.stat(backup_dir), Deno.errors.NotFound);
});

Deno.test("a migration killed at any statement is before or after a step, and the next one finishes it", async () => {
  await using dir = await tempDir();
  const run = async (path: string, backup_dir: string, stop: number) => {
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", CHILD, path, backup_dir, String(stop)],
      stdout: "null",
      stderr: "inherit",
    });
    return (await child.output()).signal;
  };
  for (let stop = 1; stop <= 9; stop++) {
    const folder = `stop-${stop}`;
    const { path, backup_dir } = await firstRelease(dir, folder);
    assert.equal(await run(path, backup_dir, stop), "SIGKILL");
    const done = 1 + Math.floor((stop - 1) / 3);
    const steps = [2, 3, 4].filter((step) => step <= done).map((step) => `step_${step}`);
    assert.deepEqual(schemaOf(path), { version: done, tables: steps }, `killed at statement ${stop}`);
    assert.equal(schemaOf(`${backup_dir}/${folder}.schema-1.sqlite`).version, 1);
    if (stop % 4 !== 1) continue; // going on is the same from each of the three places
    assert.equal(await run(path, backup_dir, 0), null);
    assert.deepEqual(schemaOf(path), { version: 4, tables: ["step_2", "step_3", "step_4"] });
    assert.deepEqual(schemaOf(`${backup_dir}/${folder}.schema-1.sqlite`), { version: 1, tables: [] });
  }
});

testWith(
  "a migration without space for its copy changes nothing and says what it needs",
  await canMount(),
  async () => {
    await using dir = await tempDir();
    const { path } = await firstRelease(dir, "one");
    const disk = dir.join("disk");
    await Deno.mkdir(disk);
    assert.ok(await mountDisk(disk, "1m"));
    try {
      const error = await rejectsWith(openJournal(path, { world, backup_dir: disk }), "journal.full");
      assert.match(error.message, /needs \d+ bytes and has \d+; free some space/);
      for await (const { name } of Deno.readDir(disk)) assert.fail(`${name} was left behind`);
    } finally {
      await unmountDisk(disk);
    }
    assert.equal(schemaOf(path).version, 1);
  },
);
