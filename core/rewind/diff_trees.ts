import { below } from "./capture_tree.ts";
import type { SnapshotStore } from "./snapshot_store.ts";
import { sameEntry } from "./tree.ts";
import type { Tree, TreeEntry } from "./tree.ts";

/** A path of which two snapshots do not say the same. Relative; `.` is the workspace itself. */
export interface PathChange {
  readonly path: string;
  readonly from: TreeEntry | undefined;
  readonly to: TreeEntry | undefined;
}

const EMPTY: Tree = new Map();

/** Every path that differs between two snapshots, parents before what is below them. */
export function diffTrees(store: SnapshotStore, from: string, to: string): PathChange[] {
  const changes: PathChange[] = [];
  if (from === to) return changes;
  const [one, other] = [rootEntry(store, from), rootEntry(store, to)];
  if (!sameEntry(one, other)) changes.push({ path: ".", from: one, to: other });
  compare(store, "", store.tree(one.hash), store.tree(other.hash), changes);
  return changes;
}

/** The entry of the workspace itself. */
function rootEntry(store: SnapshotStore, snapshot: string): TreeEntry & { type: "dir" } {
  const entry = store.tree(snapshot).get(".");
  return entry?.type === "dir" ? entry : { type: "dir", mode: 0o755, hash: snapshot };
}

function compare(store: SnapshotStore, path: string, from: Tree, to: Tree, changes: PathChange[]): void {
  const names = [...new Set([...from.keys(), ...to.keys()])].sort();
  for (const name of names) {
    const [one, other] = [from.get(name), to.get(name)];
    if (one === other) continue;
    const full = below(path, name);
    if (!sameEntry(one, other)) changes.push({ path: full, from: one, to: other });
    const inside = (entry: TreeEntry | undefined) => entry?.type === "dir" ? store.tree(entry.hash) : EMPTY;
    const hash = (entry: TreeEntry | undefined) => entry?.type === "dir" ? entry.hash : undefined;
    // where one side did not look, nothing is known of what is below
    if (one?.type === "opaque" || other?.type === "opaque") continue;
    if (hash(one) !== hash(other)) compare(store, full, inside(one), inside(other), changes);
  }
}

/** What a snapshot says of a path; undefined when it has no such path. */
export function entryAt(store: SnapshotStore, snapshot: string, path: string): TreeEntry | undefined {
  let entry: TreeEntry | undefined = rootEntry(store, snapshot);
  if (path === ".") return entry;
  for (const name of path.split("/")) {
    if (entry?.type !== "dir") return entry?.type === "opaque" ? entry : undefined;
    entry = store.tree(entry.hash).get(name);
  }
  return entry;
}
