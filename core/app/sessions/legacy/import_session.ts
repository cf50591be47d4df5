import { basename, dirname, join } from "node:path";
import { makePrivateDirectory } from "../../../app_root/mod.ts";
import { errorMessage, LuminaError, syncDirectory, writeFileAtomic } from "../../../base/mod.ts";
import type { World } from "../../../base/mod.ts";
import type { ImportReport } from "../../../cli/mod.ts";
import { writeSummary } from "../../../session/mod.ts";
import { VERSION } from "../../version.ts";
import { backupSources } from "./backup_sources.ts";
import { buildJournal } from "./build_journal.ts";
import { BACKUP_FOLDER, exists, legacyFilesIn, needsImport, REPORT_FILE } from "./legacy_files.ts";
import { pairMessages } from "./pair_messages.ts";
import { readSources } from "./read_sources.ts";

export interface ImportOptions {
  world: World;
  /** Where the session works, when somebody says so. */
  place?: { project_id: string; cwd: string };
}

const TEMPORARY = /^\.runtime-.*\.import/;

/**
 * Imports the old session in `directory`, whose name is its id. Copies first, then the journal in a temporary file,
 * then the report, and last the journal's own name: a process that dies before that leaves everything for another try.
 * Sources without a problem are then in the backup alone; the others stay where they were as well (but for `meta.json`,
 * whose name the new one has). Undefined
 * when there is nothing to import (any more). Throws `session.import_failed`.
 */
export async function importSession(
  directory: string,
  options: ImportOptions,
): Promise<ImportReport | undefined> {
  if (!needsImport(directory)) return undefined;
  try {
    return await locked(directory, () => run(directory, options));
  } catch (error) {
    if (error instanceof LuminaError && error.code === "session.import_failed") throw error;
    throw new LuminaError(
      "session.import_failed",
      `Cannot import the old session in ${directory}: ${errorMessage(error)}; its files are as they were`,
      { cause: error },
    );
  }
}

/** One process at a time; the lock goes with the process that holds it. */
async function locked<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const path = join(directory, dirname(BACKUP_FOLDER), "lock");
  makePrivateDirectory(dirname(path));
  const lock = await Deno.open(path, { create: true, write: true, mode: 0o600 });
  try {
    await lock.lock(true);
    try {
      return await work();
    } finally {
      remove(path);
    }
  } finally {
    lock.close();
  }
}

async function run(directory: string, { world, place }: ImportOptions): Promise<ImportReport | undefined> {
  if (!needsImport(directory)) return undefined; // another process was faster
  const session_id = basename(directory);
  removeLeftovers(directory);
  const files = await backupSources(directory, legacyFilesIn(directory), join(directory, BACKUP_FOLDER));
  world.failpoint?.("import.backed_up");
  const old = await readSources(files);
  const skipped = [...old.skipped];
  const messages = pairMessages(old.messages, () => world.uuid(), (what) => skipped.push(what));
  const temporary = join(directory, `.runtime-${world.uuid()}.import`);
  try {
    const state = await buildJournal(temporary, old, messages, {
      session_id,
      project_id: place?.project_id ?? "",
      cwd: place?.cwd ?? "",
      lumina_version: VERSION,
      world,
    });
    world.failpoint?.("import.built");
    const report: ImportReport = {
      version: 2,
      session_id,
      imported_at: new Date(world.now()).toISOString(),
      files: files.map(({ name, sha256, bytes }) => ({
        name,
        sha256,
        bytes,
        used: old.used.has(name),
        problem: old.problems.get(name) ?? null,
      })),
      messages: messages.length,
      summaries: old.summaries.length,
      skipped,
    };
    writeFileAtomic(join(directory, REPORT_FILE), `${JSON.stringify(report, null, 2)}\n`);
    world.failpoint?.("import.reported");
    takeName(temporary, join(directory, "runtime.sqlite"));
    world.failpoint?.("import.named");
    writeSummary(directory, state);
    for (const { name, problem } of report.files) {
      if (problem === null && name !== "meta.json") remove(join(directory, name));
    }
    remove(join(directory, "session.sqlite-shm"));
    return report;
  } finally {
    for (const ending of ["", "-wal", "-shm"]) remove(temporary + ending);
  }
}

/** Gives the journal its name, durably. The lock keeps other imports away; a session of that name would be another's. */
function takeName(temporary: string, file: string): void {
  const handle = Deno.openSync(temporary, { read: true, write: true });
  try {
    handle.syncSync();
  } finally {
    handle.close();
  }
  if (exists(file)) throw new Error(`${file} exists already`);
  Deno.renameSync(temporary, file);
  syncDirectory(dirname(file));
}

/** What an import that was cut off has left. */
function removeLeftovers(directory: string): void {
  for (const { name } of Deno.readDirSync(directory)) if (TEMPORARY.test(name)) remove(join(directory, name));
}

function remove(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
