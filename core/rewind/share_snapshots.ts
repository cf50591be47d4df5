import { LuminaError } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import { untilWritten } from "./capture_workspace.ts";
import { SnapshotStore } from "./snapshot_store.ts";

/**
 * Lets the session `to` keep the snapshots that `from` has in the store `file`, whatever becomes of `from`. A store that
 * does not exist holds nothing. Throws `rewind.store` or `rewind.busy`.
 */
export async function shareSnapshots(file: string, from: string, to: string, world: World): Promise<void> {
  let store: SnapshotStore;
  try {
    store = SnapshotStore.open(file, { create: false });
  } catch (error) {
    if (error instanceof LuminaError && error.code === "rewind.missing") return;
    throw error;
  }
  try {
    await untilWritten(world, undefined, () => store.share(from, to));
  } finally {
    store.close();
  }
}
