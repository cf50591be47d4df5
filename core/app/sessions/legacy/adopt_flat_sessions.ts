import { join } from "node:path";
import { makePrivateDirectory } from "../../../app_root/mod.ts";
import type { AppRootPaths } from "../../../app_root/mod.ts";
import { exists } from "./legacy_files.ts";
import { flatFile } from "./old_sources.ts";

/**
 * Gives each old session that lies as flat files among the sessions' folders a folder of its own, where its first opening
 * imports it. A file whose place is taken stays. True when something was moved.
 */
export function adoptFlatSessions(app_root: AppRootPaths, entries: readonly Deno.DirEntry[]): boolean {
  let moved = false;
  for (const entry of entries) {
    const flat = entry.isFile ? flatFile(entry.name) : undefined;
    const directory = flat && folderOf(app_root, flat.session);
    if (flat === undefined || directory === undefined) continue;
    const target = join(directory, flat.name);
    const taken = [target, join(directory, "runtime.sqlite"), join(app_root.archiveDir, flat.session)];
    if (taken.some(exists)) continue;
    makePrivateDirectory(directory);
    try {
      Deno.renameSync(join(app_root.sessionsDir, entry.name), target);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error; // else another process was faster
    }
    moved = true;
  }
  return moved;
}

function folderOf(app_root: AppRootPaths, name: string): string | undefined {
  try {
    return app_root.sessionDir(name);
  } catch {
    return undefined; // `app_root.bad_id`: no session had this name
  }
}
