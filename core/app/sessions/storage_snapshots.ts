import type { AppRootPaths } from "../../app_root/mod.ts";
import { errorMessage } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { StorageAmount } from "../../cli/mod.ts";
import { collectGarbage } from "../../rewind/mod.ts";
import { isSession, snapshotFile } from "./capture_hook.ts";
import { folders } from "./move_session.ts";
import { fileSize } from "./storage_size.ts";

export interface SnapshotParts {
  app_root: AppRootPaths;
  world: World;
}

/** What goes, or would go, from the snapshots of one project. */
export interface SnapshotGarbage {
  project_id: string;
  path: string;
  snapshots: number;
  bytes: number;
  /** Why nothing could be done here; empty otherwise. */
  error: string;
}

/** The projects that have snapshots of their workspace. */
function snapshotProjects(app_root: AppRootPaths): string[] {
  return folders(`${app_root.dataDir}/projects`).filter((id) => fileSize(snapshotFile(app_root, id)) > 0);
}

/** Snapshots that are kept, in stores and bytes, of one project or of all. */
export function snapshotAmount(app_root: AppRootPaths, project_id?: string): StorageAmount {
  const projects = snapshotProjects(app_root).filter((id) => project_id === undefined || id === project_id);
  const files = projects.map((id) => snapshotFile(app_root, id));
  const bytes = files.flatMap((file) => [file, `${file}-wal`, `${file}-shm`]).map(fileSize);
  return { count: files.length, bytes: bytes.reduce((sum, size) => sum + size, 0) };
}

/**
 * Deletes the snapshots of sessions that no longer exist; a fork has its own hold on those that it shares. `gone` are
 * sessions to be treated as deleted already. What cannot be cleaned up is named.
 */
export async function collectSnapshots(
  { app_root, world }: SnapshotParts,
  { dry_run, gone = new Set() }: { dry_run: boolean; gone?: ReadonlySet<string> },
): Promise<SnapshotGarbage[]> {
  const collected: SnapshotGarbage[] = [];
  for (const project_id of snapshotProjects(app_root)) {
    const path = snapshotFile(app_root, project_id);
    const result = { project_id, path, snapshots: 0, bytes: 0, error: "" };
    try {
      // looked at one by one: a session may begin, and capture, while this goes on
      const keeps = (id: string) => !gone.has(id) && isSession(app_root, id);
      const found = await collectGarbage(path, { keeps, dry_run, world });
      Object.assign(result, { snapshots: found.snapshots, bytes: found.bytes });
    } catch (error) {
      result.error = errorMessage(error);
    }
    if (result.snapshots > 0 || result.bytes > 0 || result.error !== "") collected.push(result);
  }
  return collected;
}
