import { createJudge } from "../../../core/permission/mod.ts";
import { BASH } from "../permission_support.ts";
import type { Place } from "../permission_support.ts";
import { generateLine } from "./generate_line.ts";
import { watch } from "./oracle/oracle.ts";
import type { Caught } from "./oracle/oracle.ts";
import { Random } from "./random.ts";

export interface FuzzOptions {
  /** A place that `fillPlace` has filled. */
  place: Place;
  seed: number;
  /** Lines to decide. */
  decided: number;
  /** How many different ones of those that are called read-only are to be executed. */
  executed: number;
  /** Lines to start from besides the composed ones. */
  known: readonly string[];
  /** Told now and then. */
  progress?: (so_far: Readonly<FuzzResult>) => void;
}

export interface FuzzResult {
  seed: number;
  decided: number;
  /** Decided lines that were called read-only. */
  allowed: number;
  executed: number;
  /** Executed lines that did not end by themselves in time. */
  late: number;
  false_allows: (Caught & { seed: number })[];
}

/** Lines that the oracle gets together. */
const BATCH = 100;
/** Batches that run side by side. */
const AT_ONCE = 2;
/** What waits without end; a few are executed all the same. */
const WAITS = /\bsleep\b|\btail\b.*(-\w*[fF]|--f)|\bfree\b.*-\w*[sc]|\bwait\b/;

/**
 * Decides generated lines in mode `plan` and lets the oracle watch those that are called read-only. The same seed, counts
 * and known lines give the same run.
 */
export async function fuzz(
  { place, seed, decided, executed, known, progress }: FuzzOptions,
): Promise<FuzzResult> {
  const result: FuzzResult = { seed, decided: 0, allowed: 0, executed: 0, late: 0, false_allows: [] };
  const random = new Random(seed);
  const policy = place.policy({ mode: "plan", folds_case: false });
  const { judge } = createJudge();
  const chosen = new Set<string>();
  const running = new Set<Promise<void>>();
  let waiting: string[] = [];
  const execute = async (lines: readonly string[]): Promise<void> => {
    const { caught, late } = await watch(place, lines);
    result.executed += lines.length;
    result.late += late;
    result.false_allows.push(...caught.map((one) => ({ ...one, seed })));
  };
  const start = async (): Promise<void> => {
    const lines = waiting;
    waiting = [];
    while (running.size >= AT_ONCE) await Promise.race(running);
    const batch: Promise<void> = execute(lines).finally(() => running.delete(batch));
    running.add(batch);
    // a failure is told by the race or at the end
    batch.catch(() => {});
  };
  while (result.decided < decided) {
    const line = generateLine(random, known);
    let behavior: string;
    try {
      behavior = (await judge({ tool: BASH, input: { command: line } }, policy)).behavior;
    } catch (error) {
      // no line may break the judge
      result.false_allows.push({ line, deeds: [`the judge throws: ${error}`], alone: true, seed });
      behavior = "deny";
    }
    result.decided += 1;
    if (result.decided % 1000 === 0) {
      progress?.(result);
      // the batches' processes are read in between
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    if (behavior !== "allow") continue;
    result.allowed += 1;
    // spread over the whole run
    if (chosen.size >= executed * Math.min(1, (result.decided / decided) * 1.1)) continue;
    if (chosen.has(line) || (WAITS.test(line) && !random.chance(0.02))) continue;
    chosen.add(line);
    waiting.push(line);
    if (waiting.length >= BATCH) await start();
  }
  if (waiting.length > 0) await start();
  await Promise.all(running);
  progress?.(result);
  return result;
}
