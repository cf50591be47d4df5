/**
 * The doors to rescue and repair. What is behind them is loaded when damage calls for it: whoever has a sound journal
 * needs no SQLite in this thread.
 */
import { loadNativeHash } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import type { Journal } from "./journal.ts";
import type { RepairOptions } from "./repair_journal.ts";
import type { Rescued } from "./rescue_journal.ts";

/** See `repair_journal.ts`. */
export async function repairJournal(path: string, options: RepairOptions): Promise<Rescued> {
  await loadNativeHash(); // there is much to hash
  return await (await import("./repair_journal.ts")).repairJournal(path, options);
}

/** See `repair_journal.ts`. */
export async function finishRepair(path: string): Promise<boolean> {
  return (await import("./repair_journal.ts")).finishRepair(path);
}

/** True when a repair of this journal was cut off while the new file took its place; nothing else is there then. */
export async function isHalfRepaired(path: string): Promise<boolean> {
  return (await import("./repair_journal.ts")).isHalfRepaired(path);
}

/** See `rescue_diagnosis.ts`. */
export async function describeDamage(path: string): Promise<string | undefined> {
  return (await import("./rescue_diagnosis.ts")).describeDamage(path);
}

/** See `rescue_journal.ts`. */
export async function openRescue(
  path: string,
  options: { world: World; work_dir: string; at_least?: number },
): Promise<{ journal: Journal; rescued: Rescued }> {
  await loadNativeHash();
  return (await import("./rescue_journal.ts")).openRescue(path, options);
}
