import type { AssistantMessage, Message, ToolSchema, Usage } from "../types/mod.ts";

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
}

/** Why the model stopped. `pause` = the provider paused and wants the same history again. */
export type StopReason = "end_turn" | "tool_use" | "max_tokens" | "refusal" | "stop_sequence" | "pause";

/** Live events of one attempt; only `done` carries something durable. */
export type ModelEvent =
  /** A new attempt has begun to answer; whatever an earlier attempt streamed is void. */
  | { type: "start"; model: string; message_id: string; usage: Usage }
  | { type: "text"; index: number; text: string }
  | { type: "thinking"; index: number; text: string }
  | { type: "tool_start"; index: number; wire_id: string; name: string }
  | { type: "tool_input"; index: number; json: string }
  | { type: "block_end"; index: number }
  /** The attempt failed and another follows after `delay_ms`; `partial` is what had already streamed. */
  | {
    type: "retry";
    attempt: number;
    max_attempts: number;
    delay_ms: number;
    status?: number;
    code: string;
    error: string;
    partial: AssistantMessage | null;
  }
  | { type: "fallback"; from: string; to: string; reason: string }
  | {
    type: "done";
    message: AssistantMessage;
    stop: StopReason;
    usage: Usage;
    model: string;
    message_id: string;
  };

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
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
