import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { corruptError, journalError } from "./journal_error.ts";

/** Version of the tables below. A file with a greater one is refused. */
export const SCHEMA_VERSION = 2;

/**
 * `events.payload` is canonical JSON, or NULL when it is over `BLOB_THRESHOLD` and lies in `blobs`, named by
 * `blob_refs` (a JSON array of hashes), or NULL when it was redacted by the event `redacted_by`. Hashes are lower-case
 * hex. `meta` holds `schema_version` and `head`: `<seq> <chain>` of a late event (the last one when the file was closed
 * or idle), so that a missing tail shows.
 */
const TABLES = {
  meta: "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
  events: `CREATE TABLE events (
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
    redacted_by INTEGER,
    UNIQUE (stream_id, stream_seq)
  )`,
  blobs: "CREATE TABLE blobs (sha256 TEXT PRIMARY KEY, bytes BLOB NOT NULL, size INTEGER NOT NULL)",
  commands: "CREATE TABLE commands (key TEXT PRIMARY KEY, request_hash TEXT NOT NULL, result TEXT NOT NULL)",
  projections: `CREATE TABLE projections (
    name TEXT PRIMARY KEY, version INTEGER NOT NULL, seq INTEGER NOT NULL, state TEXT NOT NULL, hash TEXT NOT NULL
  )`,
  consumer_offsets: "CREATE TABLE consumer_offsets (consumer TEXT PRIMARY KEY, seq INTEGER NOT NULL)",
  checkpoints: `CREATE TABLE checkpoints (
    name TEXT PRIMARY KEY, stream_id TEXT NOT NULL, seq INTEGER NOT NULL, state TEXT NOT NULL, hash TEXT NOT NULL
  )`,
};

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
  for (const table of Object.values(TABLES)) runSql(db, table);
  db.prepare("INSERT INTO meta (key, value) VALUES ('schema_version', ?), ('head', ?)")
    .run(String(SCHEMA_VERSION), `0 ${GENESIS}`);
  runSql(db, "COMMIT");
}

/** Writes a table anew, row by row, inside a transaction; what SQLite left of moved rows goes with the old pages. */
export function rewriteTable(db: DatabaseSync, name: keyof typeof TABLES): void {
  runSql(db, `ALTER TABLE ${name} RENAME TO ${name}_before`);
  runSql(db, TABLES[name]);
  const columns = runSql(db, `PRAGMA table_info(${name})`).map((column) => column.name).join(", ");
  runSql(db, `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM ${name}_before ORDER BY rowid`);
  runSql(db, `DROP TABLE ${name}_before`);
}

/** How to select `redacted_by` of `events`, which older files do not have. */
export function redactionColumn(db: DatabaseSync): string {
  const known = runSql(db, "SELECT 1 FROM pragma_table_info('events') WHERE name = 'redacted_by'").length > 0;
  return known ? "redacted_by" : "NULL AS redacted_by";
}

/** The chain value before the first event. */
export const GENESIS = "0".repeat(64);

/** True when the database has no tables at all: a new file, or one whose creation was cut off. */
export function isEmptyDatabase(db: DatabaseSync): boolean {
  return runSql(db, "SELECT name FROM sqlite_schema LIMIT 1").length === 0;
}

/**
 * The schema version of a file that this Lumina can read; an older one has to be migrated before it is written. Throws
 * `journal.newer_schema` or `journal.corrupt`.
 */
export function checkSchema(db: DatabaseSync, path: string): number {
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
  return version;
}
