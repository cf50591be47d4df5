import type { AssistantMessage } from "./message.ts";
import type { Usage } from "./usage.ts";

/** Why the model stopped. `pause` = the provider paused and wants the same history again. */
export type StopReason = "end_turn" | "tool_use" | "max_tokens" | "refusal" | "stop_sequence" | "pause";

/** Live events of one model request; only `done` carries something durable. */
export type ModelEvent =
  /** An attempt has begun to answer; whatever an earlier attempt streamed is void. */
  | { type: "start"; model: string; message_id: string; usage: Usage }
  | { type: "text"; index: number; text: string }
  | { type: "thinking"; index: number; text: string }
  /** What the thinking block of this index is signed with so far; comes after its text. */
  | { type: "signature"; index: number; signature: string }
  /** Reasoning that the provider encrypted; the whole block. */
  | { type: "redacted_thinking"; index: number; data: string }
  /** A call opens. `call_id` is the one that the finished message carries. */
  | { type: "tool_start"; index: number; call_id: string; wire_id: string; name: string }
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
