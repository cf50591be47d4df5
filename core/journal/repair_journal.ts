import { DatabaseSync } from "node:sqlite";
import { dirname } from "node:path";
import type { World } from "../base/mod.ts";
import type { NewEvent } from "../types/mod.ts";
import { corruptError, fromSqlite, journalError } from "./journal_error.ts";
import { openDatabase } from "./open_database.ts";
import { openJournal } from "./open_journal.ts";
import { copyJournal, rescueInto, type RescueOptions } from "./rescue_journal.ts";
import type { Rescued } from "./rescue_journal.ts";
import { isEmptyDatabase, runSql } from "./schema.ts";

export interface RepairOptions extends Omit<RescueOptions, "named"> {
  world: World;
  /** A new folder for the damaged files as they were; its parent must exist. */
  backup_dir: string;
  /** The event that tells of the repair, appended last. */
  note(rescued: Rescued): { stream_id: string; event: NewEvent };
}

/** Beside the journal: the new file, whole and checked, for the moment in which it takes its place. */
const READY = ".repaired";
/** The damaged file for that moment. */
const ASIDE = ".damaged";

/**
 * Makes a journal anew from what can be read of it. First the files are copied to `backup_dir`, as they are; then a new
 * file is written beside them from another copy, checked, and put in place by a rename. Whatever goes wrong before leaves
 * the journal untouched; what a crash leaves half done is finished by `finishRepair`. Throws `journal.busy` (exit 5) when
 * a process owns the journal, `journal.corrupt` when nothing can be saved or the file belongs to another program, and
 * `journal.newer_schema`.
 */
export async function repairJournal(path: string, options: RepairOptions): Promise<Rescued> {
  const { world, backup_dir } = options;
  const before = backUp(path, backup_dir);
  const work_dir = await Deno.makeTempDir({ dir: backup_dir, prefix: "work-" });
  const fresh = `${path}.repairing`;
  try {
    removeAll(fresh);
    const copy = copyJournal(path, work_dir);
    const db = await openDatabase(fresh, { create: true }, world);
    let rescued: Rescued;
    try {
      rescued = rescueInto(db, copy.path, { ...options, named: path });
      runSql(db, "PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      db.close();
    }
    await sealed(fresh, rescued, options);
    swap(path, fresh, before);
    return rescued;
  } catch (error) {
    removeAll(fresh);
    // a copy of what is still in its place is no backup; where something has changed it may be all that is left
    if (stamp(path) === before) removeTree(backup_dir);
    throw fromSqlite(error, "Cannot repair", path);
  } finally {
    removeTree(work_dir);
  }
}

/** Copies the files as they are into a new folder, durably. Returns their stamp. Throws when a process owns them. */
function backUp(path: string, directory: string): string {
  holdForReading(path)?.close();
  if (sizeOf(path) === 0 && sizeOf(`${path}-wal`) === 0) {
    throw corruptError(path, "it is empty (0 bytes): nothing can be saved");
  }
  const before = stamp(path);
  Deno.mkdirSync(directory, { mode: 0o700 });
  try {
    copyJournal(path, directory);
    for (const name of ["runtime.sqlite", "runtime.sqlite-wal"]) sync(`${directory}/${name}`);
    return before;
  } catch (error) {
    removeTree(directory);
    throw fromSqlite(error, "Cannot copy", path);
  }
}

/** Finishes a repair that was cut off while the new file took its place. True when there was something to finish. */
export function finishRepair(path: string): boolean {
  const ready = isThere(path + READY);
  if (ready && !isThere(path)) {
    for (const log of ["-wal", "-shm"]) removeIfThere(path + log);
    Deno.renameSync(path + READY, path);
    sync(dirname(path));
  }
  removeIfThere(path + ASIDE);
  removeAll(path + READY);
  return ready;
}

/** True when a repair of this journal was cut off while the new file took its place. */
export function isHalfRepaired(path: string): boolean {
  return isThere(path + READY) && !isThere(path);
}

/** Notes the repair in the new file and checks it as a whole. */
async function sealed(fresh: string, rescued: Rescued, { world, note }: RepairOptions): Promise<void> {
  const journal = await openJournal(fresh, { world });
  try {
    const { stream_id, event } = note(rescued);
    await journal.append(stream_id, "any", [event]);
    const { problems } = await journal.verify();
    if (problems.length > 0) throw corruptError(fresh, `the repaired copy does not hold: ${problems[0]}`);
  } finally {
    await journal.close();
  }
}

/**
 * Puts the new file in place. A reader's lock keeps every would-be owner out meanwhile; where the file is too damaged to
 * be locked nobody can own it either. The old log goes before the new file comes: it must never be read as its log.
 */
function swap(path: string, fresh: string, before: string): void {
  const guard = holdForReading(path);
  try {
    if (stamp(path) !== before) {
      throw journalError(
        "busy",
        `Cannot repair the journal ${path}: another process has changed it; try again`,
      );
    }
    // an open file cannot be moved there
    if (Deno.build.os === "windows") guard?.close();
    Deno.renameSync(fresh, path + READY);
    sync(dirname(path));
    Deno.renameSync(path, path + ASIDE);
    sync(dirname(path));
    finishRepair(path);
  } finally {
    if (guard?.isOpen) guard.close();
  }
}

/** A connection that only reads and keeps owners out; undefined when the file is too damaged. Throws `journal.busy`. */
function holdForReading(path: string): DatabaseSync | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { readOnly: true });
    runSql(db, "PRAGMA busy_timeout = 0");
    isEmptyDatabase(db);
    return db;
  } catch (error) {
    db?.close();
    const known = fromSqlite(error, "Cannot repair", path);
    if (known.code === "journal.busy") throw known;
    return undefined;
  }
}

/** Sizes and times of the files: the same before and after a copy means that nothing was written meanwhile. */
function stamp(path: string): string {
  return [path, `${path}-wal`].map((file) => {
    if (!isThere(file)) return "none";
    const { size, mtime } = Deno.statSync(file);
    return `${size} ${mtime?.getTime()}`;
  }).join("\n");
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function sizeOf(path: string): number {
  return isThere(path) ? Deno.statSync(path).size : 0;
}

function removeIfThere(path: string): void {
  if (isThere(path)) Deno.removeSync(path);
}

function removeAll(path: string): void {
  for (const part of ["", "-wal", "-shm"]) removeIfThere(path + part);
}

function removeTree(path: string): void {
  if (isThere(path)) Deno.removeSync(path, { recursive: true });
}

/** Makes what was written to a file or directory durable; what is not there needs nothing. */
function sync(path: string): void {
  if (!isThere(path) || Deno.build.os === "windows") return;
  const file = Deno.openSync(path, { read: true });
  try {
    file.syncSync();
  } catch {
    // EINVAL for directories of some network and FUSE file systems
  } finally {
    file.close();
  }
}
