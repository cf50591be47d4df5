import { join } from "node:path";
import type { AppRootPaths } from "../../app_root/mod.ts";
import { journalFolders } from "./journal_place.ts";

/** A copy of a session that a repair or a new schema has left. */
export interface SessionCopy {
  session_id: string;
  path: string;
}

/** How `lumina session repair` and the journal's migrations name what they keep. */
const REPAIR_COPY = /^(.+)-\d{8}T\d{6}Z-[0-9a-f]{4}$/;
const SCHEMA_COPY = /^(.+)\.schema-\d+\.sqlite(?:\.tmp)?$/;

/** The copies of sessions that exist and of others; what else lies beside them is none. */
export function sessionCopies(app_root: AppRootPaths): SessionCopy[] {
  return [
    ...copiesIn(join(app_root.dataDir, "sessions", "backup"), REPAIR_COPY),
    ...copiesIn(journalFolders(app_root).backups, SCHEMA_COPY),
  ];
}

function copiesIn(folder: string, pattern: RegExp): SessionCopy[] {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(folder)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  return entries.flatMap(({ name }) => {
    const session_id = pattern.exec(name)?.[1];
    return session_id === undefined ? [] : [{ session_id, path: join(folder, name) }];
  });
}
