import { backup, type DatabaseSync } from "node:sqlite";
import { basename, dirname, join } from "node:path";
import { errorMessage, LuminaError, syncDirectory } from "../base/mod.ts";
import { fileSystem } from "./file_system.ts";
import { fromSqlite, journalError } from "./journal_error.ts";
import { runSql } from "./schema.ts";

/** One step from the schema before it to `to`. */
export interface Migration {
  to: number;
  statements: readonly string[];
}

/** All steps, in order. A step that is released is never changed. */
export const MIGRATIONS: readonly Migration[] = [
  // Payloads can be redacted; `meta.head` may be a little behind the last event.
  { to: 2, statements: ["ALTER TABLE events ADD COLUMN redacted_by INTEGER"] },
];

/** Free space beside what the copy takes, bytes. */
const MARGIN = 16 * 1024 * 1024;

/**
 * Brings a file that this process owns from schema `from` to the last of `migrations`. First a copy is kept as
 * `<backup_dir>/<folder of the file>.schema-<from>.sqlite` (a later try replaces it); each step is one transaction with its
 * version number, so a process that dies leaves the schema before or after a step, and the next opening goes on from
 * there.
 *
 * Throws `journal.readonly` without `backup_dir`, `journal.full` when there is not enough space, `journal.io`.
 */
export async function migrate(
  db: DatabaseSync,
  path: string,
  from: number,
  backup_dir: string | undefined,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  if (backup_dir === undefined) {
    throw journalError(
      "readonly",
      `Cannot write to the journal ${path}: an older Lumina wrote it (schema ${from}); open it once with lumina ` +
        `--resume, which keeps a copy and brings it up to date`,
    );
  }
  await keepCopy(db, path, from, backup_dir);
  try {
    for (const { to, statements } of migrations) {
      if (to <= from) continue;
      runSql(db, "BEGIN IMMEDIATE");
      for (const statement of statements) runSql(db, statement);
      db.prepare("UPDATE meta SET value = ? WHERE key = 'schema_version'").run(String(to));
      runSql(db, "COMMIT");
    }
  } catch (error) {
    throw fromSqlite(error, "Cannot bring up to date", path);
  }
}

async function keepCopy(db: DatabaseSync, path: string, from: number, backup_dir: string): Promise<void> {
  const target = join(backup_dir, `${basename(dirname(path))}.schema-${from}.sqlite`);
  const temporary = `${target}.tmp`;
  try {
    await Deno.mkdir(backup_dir, { recursive: true, mode: 0o700 });
    assertSpace(db, path, backup_dir);
    await removeIfThere(temporary);
    (await Deno.open(temporary, { write: true, createNew: true, mode: 0o600 })).close();
    await backup(db, temporary);
    const file = await Deno.open(temporary, { write: true });
    try {
      await file.sync();
    } finally {
      file.close();
    }
    await Deno.rename(temporary, target);
    syncDirectory(backup_dir);
  } catch (error) {
    try {
      await removeIfThere(temporary);
    } catch {
      // the first error is the one to tell
    }
    if (error instanceof LuminaError) throw error;
    throw journalError(
      "io",
      `Cannot bring the journal ${path} up to date: its copy ${target} cannot be made (${
        errorMessage(error)
      })`,
      { cause: error },
    );
  }
}

function assertSpace(db: DatabaseSync, path: string, backup_dir: string): void {
  const [{ page_count }] = runSql(db, "PRAGMA page_count") as [{ page_count: number }];
  const [{ page_size }] = runSql(db, "PRAGMA page_size") as [{ page_size: number }];
  // The copy, and as much again for the log of the steps.
  const needed = 2 * page_count * page_size + MARGIN;
  for (const directory of [backup_dir, dirname(path)]) {
    const free = fileSystem(directory)?.free;
    if (free !== undefined && free < needed) {
      throw journalError(
        "full",
        `Cannot bring the journal ${path} up to date: ${directory} needs ${needed} bytes and has ${free}; free some ` +
          `space and start again`,
        { details: { free, needed } },
      );
    }
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
