import { join } from "node:path";
import type { AppRootPaths } from "../../app_root/mod.ts";
import { makePrivateDirectory } from "../../app_root/mod.ts";
import { EXIT, LuminaError, syncDirectory } from "../../base/mod.ts";
import { sessionCopies } from "./session_copies.ts";
import type { SavedSession, SessionStore } from "./session_store.ts";
import { fileSize } from "./storage_size.ts";

/**
 * Moves a session's folder in one step. Throws `journal.busy` (exit 5) while a live process owns it: looked at before
 * the move and once more after it, when nobody finds the folder any more; then it goes back.
 */
async function moveFolder(store: SessionStore, saved: SavedSession, to: string): Promise<void> {
  await store.assertFree(saved);
  await Deno.rename(saved.directory, to);
  try {
    await store.assertFree({ ...saved, directory: to, journal_file: join(to, "runtime.sqlite") });
  } catch (error) {
    await Deno.rename(to, saved.directory);
    throw error;
  }
}

/** Moves a session to the archive, or back; false when it was there already. */
export async function archiveSession(
  store: SessionStore,
  app_root: AppRootPaths,
  saved: SavedSession,
  archived: boolean,
): Promise<boolean> {
  if (saved.archived === archived) return false;
  makePrivateDirectory(app_root.archiveDir);
  const target = store.at(saved.session_id, archived);
  if (store.ids(archived).includes(saved.session_id)) {
    throw new LuminaError(
      "session.exists",
      `Cannot move the session ${saved.session_id}: ${target.directory} exists already`,
      { exit: EXIT.conflict },
    );
  }
  await moveFolder(store, saved, target.directory);
  for (const directory of [app_root.archiveDir, app_root.sessionsDir]) syncDirectory(directory);
  return true;
}

/**
 * Deletes a session with its tool output, the copies that repairs have left and what the search index has of it. It vanishes in one step: what a crash leaves of it is
 * a folder that `lumina storage cleanup` removes.
 */
export async function removeSession(
  store: SessionStore,
  app_root: AppRootPaths,
  saved: SavedSession,
): Promise<void> {
  const doomed = join(app_root.sessionsDir, "..", `.deleted-${saved.session_id}`);
  await moveFolder(store, saved, doomed);
  for (const { session_id, path } of [...spillFolders(app_root), ...sessionCopies(app_root)]) {
    if (session_id === saved.session_id) await Deno.remove(path, { recursive: true });
  }
  await forgetFound(app_root, saved.session_id);
  await Deno.remove(doomed, { recursive: true });
}

/** The index is a cache: where it cannot forget one session it goes as a whole. */
async function forgetFound(app_root: AppRootPaths, session_id: string): Promise<void> {
  const file = join(app_root.cacheDir, "session-search.sqlite");
  if (fileSize(file) === 0) return;
  try {
    const { SearchIndex } = await import("./search/search_index.ts");
    const index = new SearchIndex(file);
    try {
      index.update([], [session_id]);
    } finally {
      index.close();
    }
  } catch {
    await Deno.remove(file); // damaged, or another process writes to it: the next search makes it again
  }
}

/** The folders of spilled tool output, of sessions that exist and of others. */
export function spillFolders(
  app_root: AppRootPaths,
): { session_id: string; project_id: string; path: string }[] {
  const projects = join(app_root.stateDir, "projects");
  return folders(projects).flatMap((project_id) => {
    const results = join(projects, project_id, "tool-results");
    return folders(results).map((session_id) => ({
      session_id,
      project_id,
      path: join(results, session_id),
    }));
  });
}

/** Names of the folders in a folder; none when there is no such folder. Links are no folders. */
export function folders(path: string): string[] {
  try {
    return [...Deno.readDirSync(path)].filter((entry) => entry.isDirectory).map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return [];
    throw error;
  }
}
