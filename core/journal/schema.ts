import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { corruptError, journalError } from "./journal_error.ts";

/** Version of the tables below. A file with a greater one is refused. */
export const SCHEMA_VERSION = 1;

/**
 * `events.payload` is canonical JSON, or NULL when it is over `BLOB_THRESHOLD` and lies in `blobs`, named by
 * `blob_refs` (a JSON array of hashes). Hashes are lower-case hex.
 * `meta` holds `schema_version` and `head`: `<seq> <chain>` of the last event, so that a missing tail shows.
 */
const TABLES = [
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

/**
 * Runs one statement and gives its rows. Unlike `exec()` it reports SQLite's result code in every Deno, which decides
 * what an error means.
 */
export function runSql(db: DatabaseSync, sql: string): Record<string, SQLOutputValue>[] {
  return db.prepare(sql).all();
}

/** Makes the tables in an empty database, all or none. */
export function createSchema(db: DatabaseSync): void {
  runSql(db, "BEGIN IMMEDIATE");
  for (const table of TABLES) runSql(db, table);
  db.prepare("INSERT INTO meta (key, value) VALUES ('schema_version', ?), ('head', ?)")
    .run(String(SCHEMA_VERSION), `0 ${GENESIS}`);
  runSql(db, "COMMIT");
}

/** The chain value before the first event. */
export const GENESIS = "0".repeat(64);

/** True when the database has no tables at all: a new file, or one whose creation was cut off. */
export function isEmptyDatabase(db: DatabaseSync): boolean {
  return runSql(db, "SELECT name FROM sqlite_schema LIMIT 1").length === 0;
}

/** Checks that this Lumina can read the file. Throws `journal.newer_schema` or `journal.corrupt`. */
export function checkSchema(db: DatabaseSync, path: string): void {
  const known = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name IN ('meta', 'events')")
    .all();
  if (known.length !== 2) throw corruptError(path, "it is no Lumina journal");
  const value = db.prepare("SELECT value FROM meta WHERE key = 'schema_version'").get()?.value;
  const version = Number(value);
  if (!Number.isInteger(version) || version < 1) throw corruptError(path, "its schema version is unreadable");
  if (version > SCHEMA_VERSION) {
    throw journalError(
      "newer_schema",
      `Cannot open the journal ${path}: a newer Lumina wrote it (schema ${version}, this one knows ` +
        `${SCHEMA_VERSION}); update Lumina`,
      { details: { found: version, known: SCHEMA_VERSION } },
    );
  }
}
