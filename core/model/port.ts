import type { MediaSupport, Message, ModelEvent, StopReason, ToolSchema } from "../types/mod.ts";

/** How hard a model should think, where its provider has such a knob. */
export const EFFORTS = ["low", "medium", "high", "max"] as const;
export type Effort = (typeof EFFORTS)[number];

/** One request to a model. Each request of a run extends the one before. */
export interface ModelRequest {
  system: string;
  messages: readonly Message[];
  /** Sorted by name; the same for every request of a session unless a mode change takes tools away. */
  tools: readonly ToolSchema[];
  effort?: Effort;
  /** Tokens of the answer, where they should be fewer than the model's output limit. */
  max_output?: number;
}

export type { ModelEvent, StopReason };

/**
 * A model. `stream` yields events and ends after `done`, or throws a `ModelError`; a stream that dies never yields
 * `done`. When something was already visible, the error carries it as `partial`.
 */
export interface Model {
  /** The model's name as it is sent. */
  readonly name: string;
  /** Tokens of context it takes, after any local limit. */
  readonly window: number;
  readonly max_output: number;
  /** Media that it takes; absent = none. What it does not take reaches it as words. */
  readonly accepts?: MediaSupport;
  /** It was trained to change files by patches. */
  readonly prefers_patch?: boolean;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
