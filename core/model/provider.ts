import type { ModelEvent, ModelRequest } from "./port.ts";

/** One endpoint: makes single attempts. Retries and fallback are built on top. */
export interface Provider {
  readonly model: string;
  /** Events of one attempt, ending with `done`; throws a `ModelError` that carries the partial message. */
  attempt(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
