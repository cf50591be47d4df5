import { DatabaseSync } from "node:sqlite";
import { LuminaError, type World } from "../base/mod.ts";
import { fromSqlite, journalError } from "./journal_error.ts";
import type { OpenOptions } from "./journal.ts";
import { migrate } from "./migrate.ts";
import { checkSchema, createSchema, isEmptyDatabase, runSql, SCHEMA_VERSION } from "./schema.ts";

/** How long an opener waits for processes that only read, milliseconds. An owner is reported at once. */
const READER_PATIENCE_MS = 1000;

/** Deno lets SQLite wait five seconds for a lock. */
const NO_WAITING = "PRAGMA busy_timeout = 0";

/**
 * Opens the SQLite file of a journal and takes it: WAL, `synchronous=FULL`, exclusive lock (which the operating
 * system gives back when the process dies). Throws `journal.missing`, `journal.busy`, `journal.corrupt`,
 * `journal.newer_schema` or `journal.io`. A file of an older schema is migrated (see `migrate`), unless it is only read.
 *
 * Nothing else in this process may open the file meanwhile, not even to copy it: closing any descriptor of a file
 * drops the process's POSIX locks on it (https://sqlite.org/howtocorrupt.html, 2.2).
 */
export async function openDatabase(path: string, options: OpenOptions, world: World): Promise<DatabaseSync> {
  await prepareFile(path, options);
  const deadline = world.mono() + READER_PATIENCE_MS;
  for (;;) {
    try {
      const { db, version } = openOnce(path, options);
      if (version < SCHEMA_VERSION && !options.readonly) await upgrade(db, path, version, options.backup_dir);
      return db;
    } catch (error) {
      const known = fromSqlite(error, "Cannot open", path);
      const wait = known.code === "journal.busy" && !options.readonly && world.mono() < deadline;
      if (!wait || !onlyReaders(path)) throw known;
      await world.sleep(5 + world.random() * 20);
    }
  }
}

/** Makes the empty file of a new journal with mode 0600, or says that there is none. */
async function prepareFile(path: string, options: OpenOptions): Promise<void> {
  try {
    if (options.create && !options.readonly) {
      (await Deno.open(path, { write: true, createNew: true, mode: 0o600 })).close();
      return;
    }
    const info = await Deno.stat(path);
    if (!info.isFile) throw journalError("missing", `Cannot open the journal ${path}: it is not a file`);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists || error instanceof LuminaError) {
      if (error instanceof LuminaError) throw error;
      return;
    }
    if (error instanceof Deno.errors.NotFound) {
      throw journalError("missing", `Cannot open the journal ${path}: there is no such file or folder`, {
        cause: error,
      });
    }
    throw fromSqlite(error, "Cannot open", path);
  }
}

async function upgrade(
  db: DatabaseSync,
  path: string,
  version: number,
  backup_dir: string | undefined,
): Promise<void> {
  try {
    await migrate(db, path, version, backup_dir);
  } catch (error) {
    db.close();
    throw error;
  }
}

function openOnce(path: string, options: OpenOptions): { db: DatabaseSync; version: number } {
  const db = new DatabaseSync(path, { readOnly: options.readonly ?? false });
  try {
    runSql(db, NO_WAITING);
    if (options.readonly) {
      if (isEmptyDatabase(db)) throw journalError("missing", `Cannot open the journal ${path}: it is empty`);
    } else {
      takeFile(db, path, options);
    }
    return { db, version: checkSchema(db, path) };
  } catch (error) {
    db.close();
    throw error;
  }
}

function takeFile(db: DatabaseSync, path: string, options: OpenOptions): void {
  // Before the first access, so that the WAL index lives in this process's memory and no other process gets in.
  runSql(db, "PRAGMA locking_mode = EXCLUSIVE");
  runSql(db, "PRAGMA trusted_schema = OFF");
  runSql(db, "PRAGMA cell_size_check = ON");
  // What is deleted or replaced is overwritten, and never written to a temporary file.
  runSql(db, "PRAGMA secure_delete = ON");
  runSql(db, "PRAGMA temp_store = MEMORY");
  // On macOS plain fsync leaves the data in the drive's cache.
  runSql(db, "PRAGMA fullfsync = ON");
  runSql(db, "PRAGMA checkpoint_fullfsync = ON");
  const empty = isEmptyDatabase(db);
  if (empty && !options.create) throw journalError("missing", `Cannot open the journal ${path}: it is empty`);
  // a file of another program, or of a newer Lumina, stays as it is
  if (!empty) checkSchema(db, path);
  runSql(db, "PRAGMA journal_mode = WAL");
  runSql(db, "PRAGMA synchronous = FULL");
  runSql(db, "PRAGMA journal_size_limit = 67108864");
  // Checkpoints come when nobody waits (`SqliteStore.tidy`), and under constant load every 1000 pages.
  if (options.max_pages !== undefined) runSql(db, `PRAGMA max_page_count = ${Math.trunc(options.max_pages)}`);
  if (empty) createSchema(db);
}

/** True when the file can be read now: whoever keeps it from being taken is no owner. */
function onlyReaders(path: string): boolean {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { readOnly: true });
    runSql(db, NO_WAITING);
    isEmptyDatabase(db);
    return true;
  } catch {
    return false; // locked by an owner, or unreadable: the first error says it
  } finally {
    db?.close();
  }
}
