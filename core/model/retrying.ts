import type { World } from "../base/mod.ts";
import { ModelError } from "./model_error.ts";
import type { ModelEvent, ModelRequest } from "./port.ts";
import type { Provider } from "./provider.ts";

/** First and longest wait of the exponential backoff, milliseconds. */
export const BACKOFF_BASE_MS = 1_000;
export const BACKOFF_CAP_MS = 60_000;

/**
 * The wait before attempt `next` (2, 3, …): what the provider asked for, else a random part of an exponentially growing
 * span ("full jitter").
 */
export function retryDelay(next: number, error: ModelError, world: Pick<World, "random">): number {
  if (error.retry_after_ms !== undefined) return error.retry_after_ms;
  return Math.round(world.random() * Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (next - 2)));
}

/**
 * Attempts until one is done, a failure is final, or `maxAttempts` have failed; each failure that is tried again is
 * told as a `retry` event with its partial message. Throws the last failure.
 */
export async function* withRetries(
  provider: Provider,
  request: ModelRequest,
  signal: AbortSignal,
  maxAttempts: number,
  world: World,
): AsyncGenerator<ModelEvent> {
  for (let attempt = 1;; attempt++) {
    let error: ModelError;
    try {
      yield* provider.attempt(request, signal);
      return;
    } catch (thrown) {
      if (!(thrown instanceof ModelError) || !thrown.passing || attempt >= maxAttempts || signal.aborted) {
        throw thrown;
      }
      error = thrown;
    }
    const delay = retryDelay(attempt + 1, error, world);
    yield {
      type: "retry",
      attempt,
      max_attempts: maxAttempts,
      delay_ms: delay,
      ...(error.status === undefined ? {} : { status: error.status }),
      code: error.code,
      error: error.message,
      partial: error.partial,
    };
    try {
      await world.sleep(delay, signal);
    } catch (cause) {
      throw new ModelError("The model request was aborted", {
        category: "aborted",
        partial: error.partial,
        cause,
      });
    }
  }
}
