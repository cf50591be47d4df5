import { diffTrees, entryAt } from "./diff_trees.ts";
import type { PathChange } from "./diff_trees.ts";
import type { RewindTarget } from "./rewind_target.ts";
import type { SnapshotStore } from "./snapshot_store.ts";
import { sameEntry } from "./tree.ts";

/** What a rewind of files would do. */
export interface RewindPlan {
  /** Parents before what is below them. */
  changes: PathChange[];
  /** Those of the changed paths that were changed by something other than the agent. */
  conflicts: ReadonlySet<string>;
  /** What the target does not have and stays, because it was too large or not open to be captured. */
  stays: string[];
}

/**
 * What must change for the workspace, captured as `present`, to be as `snapshot` says. A path is in conflict when it
 * differs from what the agent left last, or was changed between two of its runs.
 */
export function planRewind(
  store: SnapshotStore,
  present: string,
  snapshot: string,
  { left, between }: Pick<RewindTarget, "left" | "between">,
): RewindPlan {
  // what either side did not look at stays as it is; an ignored folder is expected to
  const all = diffTrees(store, present, snapshot).filter(({ to }) => to?.type !== "opaque");
  const changes = all.filter(({ from, to }) => from?.type !== "opaque" || to !== undefined);
  const stays = all.filter(({ from, to }) =>
    to === undefined && from?.type === "opaque" && from.why !== "ignored" && from.why !== "own"
  ).map(({ path }) => path);
  const edited = new Set(
    between.flatMap(({ from, to }) => diffTrees(store, from, to).map(({ path }) => path)),
  );
  const conflicts = new Set<string>();
  for (const { path, from } of changes) {
    const same = left !== "" && sameEntry(entryAt(store, left, path), from);
    if (!same || edited.has(path)) conflicts.add(path);
  }
  return { changes, conflicts, stays };
}

/** The changes that are left when a person keeps what is in conflict. */
export function withoutConflicts({ changes, conflicts }: RewindPlan): PathChange[] {
  return changes.filter(({ path }) => !conflicts.has(path));
}
