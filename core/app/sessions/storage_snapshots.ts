import type { AppRootPaths } from "../../app_root/mod.ts";
import { errorMessage } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { SessionRow, StorageAmount } from "../../cli/mod.ts";
import { readEvents } from "../../journal/mod.ts";
import { collectGarbage } from "../../rewind/mod.ts";
import { sessionEvents } from "../../session/mod.ts";
import { snapshotFile } from "./capture_hook.ts";
import { listSessions } from "./list_sessions.ts";
import { folders } from "./move_session.ts";
import type { SessionStore } from "./session_store.ts";
import { fileSize } from "./storage_size.ts";

export interface SnapshotParts {
  store: SessionStore;
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
 * Deletes the snapshots of sessions that no longer exist, but those that a fork has from a deleted parent. `gone` are
 * sessions to be treated as deleted already. Where a fork cannot be read, its project keeps everything and says so.
 */
export async function collectSnapshots(
  { store, app_root, world }: SnapshotParts,
  options: { dry_run: boolean; gone?: ReadonlySet<string> },
): Promise<SnapshotGarbage[]> {
  const projects = snapshotProjects(app_root);
  if (projects.length === 0) return [];
  const { dry_run, gone = new Set<string>() } = options;
  const ids = new Set([...store.ids(), ...store.ids(true)].filter((id) => !gone.has(id)));
  const rows: SessionRow[] = [];
  for (const archived of [false, true]) {
    rows.push(...(await listSessions(store, { archived }, () => {})).rows); // their own list tells of damage
  }
  const forks = rows.filter(({ session_id, forked_from }) =>
    ids.has(session_id) && forked_from !== null && !ids.has(forked_from.session_id)
  );
  const collected: SnapshotGarbage[] = [];
  for (const project_id of projects) {
    const path = snapshotFile(app_root, project_id);
    const result = { project_id, path, snapshots: 0, bytes: 0, error: "" };
    try {
      const snapshots = new Set<string>();
      for (const fork of forks) {
        if (fork.project_id === project_id) await addSnapshots(store, fork, snapshots);
      }
      const found = await collectGarbage(path, { keeps: (id) => ids.has(id), snapshots, dry_run, world });
      Object.assign(result, { snapshots: found.snapshots, bytes: found.bytes });
    } catch (error) {
      result.error = errorMessage(error);
    }
    if (result.snapshots > 0 || result.bytes > 0 || result.error !== "") collected.push(result);
  }
  return collected;
}

/** Adds every snapshot that the journal of a session names. */
async function addSnapshots(store: SessionStore, row: SessionRow, snapshots: Set<string>): Promise<void> {
  const journal = await store.openJournal(store.at(row.session_id, row.archived));
  try {
    for await (const page of readEvents(journal)) {
      for (const stored of page) {
        if (stored.type !== "checkpoint.captured" && stored.type !== "session.rewound") continue;
        const decoded = sessionEvents.decode(stored);
        if (!decoded.known) continue;
        const { event } = decoded;
        if (event.type === "checkpoint.captured") snapshots.add(event.payload.snapshot);
        if (event.type === "session.rewound" && event.payload.snapshot !== null) {
          snapshots.add(event.payload.snapshot);
        }
      }
    }
  } finally {
    await journal.close();
  }
}
