import type { World } from "../base/mod.ts";
import { untilWritten } from "./capture_workspace.ts";
import { SnapshotStore } from "./snapshot_store.ts";

export interface GarbageOptions {
  /** False for a session that no longer exists: its snapshots go. */
  keeps(session_id: string): boolean;
  /** The store may hold this many bytes: the oldest snapshots go until it does, the newest one never. */
  max_bytes?: number;
  /** Only says what would go. */
  dry_run?: boolean;
  world: World;
}

export interface Garbage {
  /** Snapshots, and objects that no snapshot needs any more. */
  snapshots: number;
  objects: number;
  /** What these objects take. */
  bytes: number;
}

const NOTHING: Garbage = { snapshots: 0, objects: 0, bytes: 0 };

/**
 * Deletes what no session needs from the store `file`, then the oldest snapshots while it is too large. Safe beside open
 * sessions: a capture that goes on meanwhile begins anew. A store that does not exist holds nothing. Throws `rewind.store`
 * or `rewind.busy`.
 */
export async function collectGarbage(file: string, options: GarbageOptions): Promise<Garbage> {
  try {
    await Deno.lstat(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return NOTHING;
    throw error;
  }
  const store = SnapshotStore.open(file, { create: false });
  try {
    if (options.dry_run === true) return findGarbage(store, options).found;
    return await removeGarbage(store, options);
  } finally {
    store.close();
  }
}

/** The same on a store that is open. */
export async function removeGarbage(store: SnapshotStore, options: GarbageOptions): Promise<Garbage> {
  let found = NOTHING;
  await untilWritten(options.world, undefined, () =>
    store.remove(() => {
      const garbage = findGarbage(store, options);
      found = garbage.found;
      return garbage;
    }));
  return found;
}

interface FoundGarbage {
  found: Garbage;
  snapshots: { session_id: string; hash: string }[];
  objects: string[];
}

function findGarbage(store: SnapshotStore, options: GarbageOptions): FoundGarbage {
  const { keeps, max_bytes = Infinity } = options;
  const sizes = new Map(store.objects().map(({ hash, bytes }) => [hash, bytes]));
  const gone: FoundGarbage["snapshots"] = [];
  const kept: FoundGarbage["snapshots"] = [];
  for (const one of store.snapshots()) (keeps(one.session_id) ? kept : gone).push(one);
  // from the newest on: what no longer fits goes, with everything older
  const needed = new Set<string>();
  let bytes = 0;
  for (let index = kept.length - 1; index >= 0; index--) {
    const more = new Set<string>();
    reach(store, kept[index]!.hash, sizes, needed, more);
    let added = 0;
    for (const hash of more) added += sizes.get(hash) ?? 0;
    if (bytes + added > max_bytes && index < kept.length - 1) {
      gone.push(...kept.slice(0, index + 1));
      break;
    }
    bytes += added;
    for (const hash of more) needed.add(hash);
  }
  const objects = [...sizes.keys()].filter((hash) => !needed.has(hash));
  const freed = objects.reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), 0);
  return {
    found: { snapshots: gone.length, objects: objects.length, bytes: freed },
    snapshots: gone,
    objects,
  };
}

/** Adds what a tree needs to `more`, but what is needed already. */
function reach(
  store: SnapshotStore,
  hash: string,
  sizes: ReadonlyMap<string, number>,
  needed: ReadonlySet<string>,
  more: Set<string>,
): void {
  if (needed.has(hash) || more.has(hash) || !sizes.has(hash)) return;
  more.add(hash);
  for (const entry of store.tree(hash).values()) {
    if (entry.type === "dir") reach(store, entry.hash, sizes, needed, more);
    else if ((entry.type === "file" || entry.type === "raw") && !needed.has(entry.hash)) more.add(entry.hash);
  }
}
