import { join } from "node:path";
import type { AppRootPaths } from "../../app_root/mod.ts";
import { folders, spillFolders } from "./move_session.ts";
import { sessionCopies } from "./session_copies.ts";
import type { SessionStore } from "./session_store.ts";
import { folderSize, sizeOf } from "./storage_size.ts";

/** Something that no session owns. */
export interface Orphan {
  type: "orphan" | "tool-results";
  session_id: string;
  path: string;
  reason: string;
  bytes: number;
}

/** What a session's folder holds before its first event; with anything else in it a folder is not ours to delete. */
const OWN_NAMES = new Set(["runtime.sqlite", "runtime.sqlite-wal", "runtime.sqlite-shm", "meta.json"]);

/** A folder that changed within this time may belong to a process that is at work. */
const AT_WORK_MS = 86_400_000;

/**
 * What crashes and deleted sessions have left: half-made forks and imports, half-deleted sessions, copies that were made
 * for reading, session folders without a first event, tool output and copies of sessions that are gone. Files that Lumina
 * does not know are none of it.
 */
export function findOrphans(store: SessionStore, app_root: AppRootPaths, now: number): Orphan[] {
  // before the ids: a session is there before its first copy
  const spilled = spillFolders(app_root);
  const copies = sessionCopies(app_root);
  const known = new Set([...store.ids(), ...store.ids(true)]);
  const orphans: Orphan[] = [];
  const add = (path: string, session_id: string, reason: string) => {
    orphans.push({ type: "orphan", session_id, path, reason, bytes: sizeOf(path) });
  };
  const parent = join(app_root.sessionsDir, "..");
  for (const name of folders(parent)) {
    const [, kind, id = ""] = /^\.(fork|deleted)-(.+)$/.exec(name) ?? [];
    const path = join(parent, name);
    if (kind === undefined || !quiet(path, now)) continue;
    add(path, id, kind === "fork" ? "a fork that was not finished" : "a session that was being deleted");
  }
  for (const name of folders(join(parent, ".import"))) {
    const path = join(parent, ".import", name);
    if (quiet(path, now)) add(path, name, "an import that was not finished");
  }
  for (const name of folders(app_root.tmpDir)) {
    const path = join(app_root.tmpDir, name);
    if (name.startsWith("rescue-") && quiet(path, now)) {
      add(path, "", "a copy that was made to read a damaged session");
    }
  }
  for (const id of store.ids()) {
    const path = join(app_root.sessionsDir, id);
    if (quiet(path, now) && neverBegan(path)) add(path, id, "a session that never began");
  }
  for (const { session_id, path } of copies) {
    if (!known.has(session_id)) add(path, session_id, "a copy of a session that no longer exists");
  }
  for (const { session_id, path } of spilled) {
    // a fork's output is there before the fork
    if (known.has(session_id) || !quiet(path, now)) continue;
    const bytes = folderSize(path).bytes;
    orphans.push({ type: "tool-results", session_id, path, reason: "its session no longer exists", bytes });
  }
  return orphans;
}

function quiet(path: string, now: number): boolean {
  const changed = Deno.lstatSync(path).mtime?.getTime() ?? now;
  return now - changed > AT_WORK_MS;
}

function neverBegan(path: string): boolean {
  const entries = [...Deno.readDirSync(path)];
  if (!entries.every(({ name, isFile }) => isFile && OWN_NAMES.has(name))) return false;
  return ["runtime.sqlite", "runtime.sqlite-wal"].every((name) => {
    if (!entries.some((entry) => entry.name === name)) return true;
    return Deno.lstatSync(join(path, name)).size === 0;
  });
}
