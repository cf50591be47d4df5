import { basename, join } from "node:path";
import { isJsonObject } from "../../../types/mod.ts";

/** The files of an old session, those that hold the conversation first. The database may have its log beside it. */
export const LEGACY_FILES = [
  "state.json",
  "transcript.jsonl",
  "meta.json",
  "tasks.json",
  "skill-recovery.json",
  "skill-recovery.commit.json",
  "session.sqlite",
  "session.sqlite-wal",
  "transcript.md",
] as const;
export type LegacyFile = (typeof LEGACY_FILES)[number];

/** Where an import keeps the sources as they were, inside the session's directory. */
export const BACKUP_FOLDER = join(".migration-backup", "v1");
/** What an import says it did. */
export const REPORT_FILE = "migration-v2.json";

/** The old files that a directory has. `meta.json` is one only in its old form: the new one has the same name. */
export function legacyFilesIn(directory: string): LegacyFile[] {
  return LEGACY_FILES.filter((name) => {
    const path = join(directory, name);
    return exists(path) && (name !== "meta.json" || isOldMeta(path));
  });
}

/** Whether a session's directory waits for its import: old files, and no journal. */
export function needsImport(directory: string): boolean {
  return !exists(join(directory, "runtime.sqlite")) && !isTeamAgent(basename(directory)) &&
    legacyFilesIn(directory).length > 0;
}

/** Sessions of the old program's team agents, which it hid: `team-…` in at least seven parts. They belong to their team. */
function isTeamAgent(name: string): boolean {
  return name.startsWith("team-") && name.split("-").length >= 7;
}

/** True for anything under this name, a dangling link included. */
export function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

/** One that cannot be read as JSON is old as well: the new one is written whole or not at all. */
function isOldMeta(path: string): boolean {
  try {
    const meta: unknown = JSON.parse(Deno.readTextFileSync(path));
    return !isJsonObject(meta) || !("updated_ts" in meta);
  } catch {
    return true; // broken, or no file: the import says what is wrong with it
  }
}
