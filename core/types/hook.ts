import type { Json, JsonObject } from "./json.ts";
import type { Behavior } from "./permission.ts";

/** What a hook may wait for: the events of the published hook protocol. */
export const HOOK_EVENTS = [
  "SessionStart",
  "Setup",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "PreToolUse",
  "PermissionRequest",
  "PermissionDenied",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "Notification",
  "MessageDisplay",
  "SubagentStart",
  "SubagentStop",
  "TaskCreated",
  "TaskCompleted",
  "Stop",
  "StopFailure",
  "TeammateIdle",
  "InstructionsLoaded",
  "ConfigChange",
  "CwdChanged",
  "DirectoryAdded",
  "FileChanged",
  "WorktreeCreate",
  "WorktreeRemove",
  "PreCompact",
  "PostCompact",
  "Elicitation",
  "ElicitationResult",
  "SessionEnd",
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** What a hook reads: the published JSON, with the fields of its event beside these. */
export type HookInput = JsonObject & {
  session_id: string;
  /** A file with the conversation so far, one JSON object a line. */
  transcript_path: string;
  cwd: string;
  hook_event_name: HookEvent;
};

/** One moment at which hooks run, without what is the same for the whole session. */
export interface HookMoment {
  event: HookEvent;
  /** What matchers are held against: the tool's name and its aliases, the source of the start, …; empty: everything fits. */
  subject: readonly string[];
  /** The fields of the event: `tool_name`, `tool_input`, `prompt`, … */
  fields: JsonObject;
}

/** What one hook said. */
export type HookReply =
  | { kind: "json"; value: JsonObject }
  | { kind: "text"; text: string }
  | { kind: "none" }
  /** Exit code 2: what it waited for must not happen. */
  | { kind: "block"; reason: string }
  /** It is broken, too slow or said nothing that can be understood: nothing is decided by it. */
  | { kind: "error"; message: string };

/** What all hooks of one moment said together; the strictest word counts. */
export interface HookOutcome {
  /** Of PreToolUse and PermissionRequest. `deny` and `ask` always count; `allow` answers a mode's question alone. */
  permission?: { behavior: Behavior; reason: string; hook: string };
  /** What the event is about must not go on. */
  block?: { reason: string; hook: string };
  /** Judged again before anything runs with it. */
  updated_input?: JsonObject;
  /** Stands in the place of the tool's result for the model. */
  updated_output?: Json;
  /** For the model. */
  context: string[];
  /** The run ends here. */
  stop?: { reason: string; hook: string };
  /** For the person. */
  messages: string[];
  /** Hooks that went wrong, one line each with the hook's name. */
  problems: string[];
}
