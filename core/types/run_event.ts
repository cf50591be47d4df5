import type { Json, JsonObject } from "./json.ts";
import type { MediaBlock } from "./media.ts";
import type { AssistantMessage } from "./message.ts";
import type { ModelEvent, StopReason } from "./model_event.ts";
import type { PermissionMode } from "./permission.ts";
import type { Usage } from "./usage.ts";

/** How a run ended. */
export type RunStatus = "success" | "failed" | "max_turns" | "blocked" | "answer_schema" | "interrupted";

/** A call that was refused. */
export interface Denial {
  tool_name: string;
  call_id: string;
  tool_input: JsonObject;
}

/** What one model did in a run. */
export interface ModelUse {
  usage: Usage;
  cost_usd: number | null;
  requests: number;
}

/** The outcome of a run. Durations are milliseconds. */
export interface RunResult {
  status: RunStatus;
  /** The final answer; empty when there is none. */
  answer: string;
  /** The answer as JSON when a schema was asked for and it fits. */
  structured?: Json;
  error?: { code: string; message: string };
  stop?: StopReason;
  /** Model requests that were answered. */
  turns: number;
  usage: Usage;
  models: Record<string, ModelUse>;
  /** Null when the price of a model is unknown. */
  cost_usd: number | null;
  duration_ms: number;
  duration_api_ms: number;
  ttft_ms?: number;
  denials: Denial[];
  /** The exit code that a slash command's failure asks for; absent: the status says it. */
  exit?: number;
  /** Set by a slash command: no further prompt is taken (`end`), or the next ones go to another session. */
  next?: "end" | { session_id: string };
}

/** What a run tells whoever watches. All but `stream` and `tool_progress` are in the journal as well. */
export type RunEvent =
  | {
    type: "run_started";
    run_id: string;
    session_id: string;
    cwd: string;
    model: string;
    mode: PermissionMode;
    tools: string[];
  }
  | { type: "stream"; event: ModelEvent }
  | {
    type: "assistant";
    message_id: string;
    model: string;
    message: AssistantMessage;
    stop: StopReason | null;
    usage: Usage;
    /** Set when the stream died: what had been said, and why it is not an answer. */
    error?: string;
  }
  | { type: "tool_started"; call_id: string; name: string; input: JsonObject }
  | { type: "tool_progress"; call_id: string; text: string }
  | {
    type: "tool_result";
    call_id: string;
    name: string;
    content: string;
    is_error: boolean;
    data?: JsonObject;
    media?: MediaBlock[];
  }
  | { type: "permission_denied"; call_id: string; name: string; reason: string; source: string }
  /** Told during a run; `synthetic`: no person typed it. `key` as the person's message had it. */
  | {
    /** What a sub-agent tells. */
    type: "agent";
    agent_id: string;
    agent_type: string;
    /** The call that asked for it; null where a skill or a command did. */
    call_id: string | null;
    event: RunEvent;
  }
  /** Told during a run; `synthetic`: no person typed it. `key` as the person's message had it. */
  | { type: "user"; text: string; synthetic: boolean; key?: string }
  | { type: "warning"; text: string }
  /** The model is shown less of the conversation from here on. Tokens are those of its next request. */
  | {
    type: "compacted";
    trigger: "auto" | "manual" | "overflow";
    tier: "clear" | "summary";
    tokens_before: number;
    tokens_after: number;
  }
  /** What a slash command answers; no model was asked. */
  | { type: "command_output"; name: string; text: string; data?: JsonObject }
  | { type: "run_finished"; run_id: string; result: RunResult };
