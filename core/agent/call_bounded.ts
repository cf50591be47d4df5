import { errorMessage, LuminaError } from "../base/mod.ts";
import type { World } from "../base/mod.ts";

/** How long a feature may take at one stage, milliseconds: as long as a slow request to a model. */
export const STAGE_LIMIT_MS = 600_000;
/** The same at the end of a run, when a person already has the answer. */
export const END_LIMIT_MS = 30_000;
/** How long a feature may go on after the run's signal has aborted. */
export const ABORT_GRACE_MS = 5_000;

/** Who is called, where, and in which run. */
interface StageCall {
  stage: string;
  name: string;
  run: { readonly world: World; readonly signal: AbortSignal };
}

/**
 * Calls a feature's part. What does not come back in time is left behind and `agent.stage_timeout` thrown, or, some seconds
 * after the signal has aborted, its reason. A failure that is no `LuminaError` is thrown as `agent.stage_failed`.
 */
export async function callBounded({ stage, name, run }: StageCall, call: () => Promise<void>): Promise<void> {
  const { signal, world } = run;
  const done = new AbortController();
  const limit_ms = stage === "end" ? END_LIMIT_MS : STAGE_LIMIT_MS;
  const late = async () => {
    await world.sleep(limit_ms, done.signal);
    throw new LuminaError(
      "agent.stage_timeout",
      `The part "${name}" of the run did not come back from ${stage} within ${limit_ms / 1000} s`,
    );
  };
  const interrupted = async () => {
    await aborted(signal, done.signal);
    await world.sleep(ABORT_GRACE_MS, done.signal);
    throw signal.reason;
  };
  try {
    await Promise.race([call(), late(), interrupted()]);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof LuminaError) throw error;
    throw new LuminaError(
      "agent.stage_failed",
      `The part "${name}" of the run failed at ${stage}: ${errorMessage(error)}`,
      { cause: error },
    );
  } finally {
    done.abort();
  }
}

/** Resolves when `signal` aborts; rejects when `over` does first. */
function aborted(signal: AbortSignal, over: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve();
    const onAbort = () => resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    over.addEventListener("abort", () => {
      signal.removeEventListener("abort", onAbort);
      reject(over.reason);
    }, { once: true });
  });
}
