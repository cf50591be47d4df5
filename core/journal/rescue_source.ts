import { DatabaseSync } from "node:sqlite";
import { journalError } from "./journal_error.ts";
import { type CarvedRow, PageImage } from "./rescue_pages.ts";
import { checkSchema, createSchema, runSql } from "./schema.ts";

const PAGE = 4096;
const FILE_HEADER = 100;
const HASH_LENGTH = 64;

/** A damaged journal that is being read: a private copy of its files. */
export interface RescueSource extends Disposable {
  /** The copy as SQLite reads it; undefined when nothing helps. */
  db: DatabaseSync | undefined;
  /** The rows in its pages, without SQLite's trees: those of the log alone when nothing else is missing. */
  carved(log_only: boolean): Iterable<CarvedRow>;
  /** No table can have more rows: a greater number is damaged itself. Each row of ours holds a hash. */
  most_rows: number;
  /** What was wrong with the file as a whole, one line each. */
  problems: string[];
}

/**
 * Opens a copy of a journal (and of the log beside it) for salvage; the copy may be changed. Where SQLite does not take
 * it, the file's header and then its whole first page are replaced by those of a new journal: the tables have always been
 * made in the same order, so they begin at the same pages. Throws `journal.corrupt` for a file that belongs to another
 * program and `journal.newer_schema`.
 */
export function openRescueSource(path: string, named: string): RescueSource {
  const file = Deno.readFileSync(path);
  const wal = readIfThere(`${path}-wal`);
  const problems: string[] = [];
  let db = tryOpen(path, named);
  if (db === undefined && file.length >= PAGE) {
    const fresh = freshPage(`${path}-fresh`);
    for (const [length, what] of [[FILE_HEADER, "header"], [PAGE, "first page"]] as const) {
      Deno.writeFileSync(path, patched(file, fresh, length));
      if (wal !== undefined) Deno.writeFileSync(`${path}-wal`, wal); // what has been tried may have emptied it
      db = tryOpen(path, named);
      if (db === undefined) continue;
      const cut = file.length % PAGE === 0 ? "" : " or its end";
      problems.push(`the file's ${what}${cut} was damaged`);
      break;
    }
  }
  if (db === undefined) problems.push("the file cannot be read as a database; its pages were searched");
  let image: PageImage | undefined;
  return {
    db,
    problems,
    most_rows: Math.ceil((file.length + (wal?.length ?? 0)) / HASH_LENGTH),
    carved(log_only) {
      if (log_only && wal === undefined) return [];
      image ??= new PageImage(file, wal);
      return log_only ? image.loggedRows() : image.rows();
    },
    [Symbol.dispose]: () => db?.close(),
  };
}

/** SQLite over the file when it takes it and finds the table of events. */
function tryOpen(path: string, named: string): DatabaseSync | undefined {
  let db: DatabaseSync | undefined;
  let foreign = false;
  try {
    db = new DatabaseSync(path);
    runSql(db, "PRAGMA busy_timeout = 0");
    const tables = runSql(db, "SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => name);
    if (tables.includes("events")) return db;
    foreign = tables.length > 0;
  } catch {
    // not readable this way: that is what the rescue is for
  }
  db?.close();
  if (foreign) {
    throw journalError(
      "corrupt",
      `${named} is no Lumina journal: another program wrote it; nothing was changed`,
    );
  }
  return undefined;
}

/** Throws `journal.newer_schema` when a newer Lumina wrote the file. */
export function assertNotNewer(db: DatabaseSync, named: string): void {
  try {
    checkSchema(db, named);
  } catch (error) {
    if ((error as { code?: unknown }).code === "journal.newer_schema") throw error;
    // anything else is damage
  }
}

/** The first page of a new journal, as a file in WAL mode has it. */
function freshPage(path: string): Uint8Array {
  const db = new DatabaseSync(path);
  createSchema(db);
  db.close();
  const page = Deno.readFileSync(path).subarray(0, PAGE);
  page[18] = page[19] = 2;
  return page;
}

/** The file with the first `length` bytes of a fresh page, its size noted as it is. */
function patched(file: Uint8Array, fresh: Uint8Array, length: number): Uint8Array {
  const whole = new Uint8Array(Math.floor(file.length / PAGE) * PAGE);
  whole.set(file.subarray(0, whole.length));
  whole.set(fresh.subarray(0, length));
  const view = new DataView(whole.buffer);
  view.setUint32(28, whole.length / PAGE);
  view.setUint32(92, view.getUint32(24)); // else the noted size would not count
  return whole;
}

function readIfThere(path: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Deno.readFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
