import type { World } from "../base/mod.ts";
import { ModelError } from "./model_error.ts";
import type { ModelEvent, ModelRequest } from "./port.ts";
import type { Provider } from "./provider.ts";
import { withRetries } from "./retrying.ts";

export interface Attempts {
  max_attempts: number;
  world: World;
}

/**
 * The primary with its retries, then the fallback with its own: only for failures that pass by themselves, never once
 * text, thinking or a tool call was shown in any attempt, never after an abort. When both fail the error names both.
 */
export async function* withFallback(
  primary: Provider,
  fallback: Provider | undefined,
  request: ModelRequest,
  signal: AbortSignal,
  { max_attempts, world }: Attempts,
): AsyncGenerator<ModelEvent> {
  let shown = false;
  let first: ModelError;
  try {
    for await (const event of withRetries(primary, request, signal, max_attempts, world)) {
      if (VISIBLE.has(event.type)) shown = true;
      yield event;
    }
    return;
  } catch (thrown) {
    const may = fallback && thrown instanceof ModelError && thrown.passing && !shown && !signal.aborted;
    if (!may) throw thrown;
    first = thrown;
  }
  yield { type: "fallback", from: primary.model, to: fallback!.model, reason: first.message };
  try {
    yield* withRetries(fallback!, request, signal, max_attempts, world);
  } catch (thrown) {
    if (!(thrown instanceof ModelError) || thrown.category === "aborted") throw thrown;
    throw thrown.with({ message: `${first.message}; then the fallback failed: ${thrown.message}` });
  }
}

const VISIBLE: ReadonlySet<ModelEvent["type"]> = new Set(["text", "thinking", "tool_start", "tool_input"]);
