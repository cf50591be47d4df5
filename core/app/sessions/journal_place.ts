import { join } from "node:path";
import type { AppRootPaths } from "../../app_root/mod.ts";

/** What every opening of a session's journal says about the folders outside the session's own. */
export interface JournalPlace {
  /** Where the note lies that tells others who has the session open. */
  owner: { dir: string; name: string };
  /** Where a copy is kept before a journal of an older Lumina is brought up to date. */
  backup_dir: string;
}

/** The place of one session's journal. */
export function journalPlace(app_root: AppRootPaths, session_id: string): JournalPlace {
  const { owners, backups } = journalFolders(app_root);
  return { owner: { dir: owners, name: session_id }, backup_dir: backups };
}

/** The folders that the journal's worker needs beside the sessions. */
export function journalFolders({ runDir, stateDir }: AppRootPaths): { owners: string; backups: string } {
  return { owners: join(runDir, "owners"), backups: join(stateDir, "backups", "journals") };
}
