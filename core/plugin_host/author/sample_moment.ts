import type { HookEvent, HookInput, JsonObject } from "../../types/mod.ts";

/** Calls of tools that most hooks know, one of each kind. */
const CALLS: readonly [tool: string, input: JsonObject, response: JsonObject][] = [
  ["Bash", { command: "echo hello", description: "Say hello" }, {
    stdout: "hello\n",
    stderr: "",
    interrupted: false,
    isImage: false,
  }],
  ["Read", { file_path: "notes.txt" }, { filePath: "notes.txt", content: "1\thello\n" }],
  ["Write", { file_path: "notes.txt", content: "hello\n" }, {
    filePath: "notes.txt",
    success: true,
    content: "written",
  }],
  ["Edit", { file_path: "notes.txt", old_string: "hello", new_string: "hi" }, {
    filePath: "notes.txt",
    success: true,
    content: "edited",
  }],
  ["Grep", { pattern: "hello" }, { content: "notes.txt" }],
];

/** What the events that are not about a call have beside the common fields; an event that is not here has none. */
const FIELDS: Partial<Record<HookEvent, JsonObject>> = {
  SessionStart: { source: "startup", model: "sample-model" },
  UserPromptSubmit: { prompt: "Say hello" },
  PostToolBatch: {
    tool_calls: [{
      tool_name: "Bash",
      tool_input: { command: "echo hello" },
      tool_use_id: "call-1",
      tool_response: "hello\n",
    }],
  },
  Notification: {
    message: "Lumina needs your permission to use Bash",
    notification_type: "permission_prompt",
  },
  Stop: { stop_hook_active: false, last_assistant_message: "Hello" },
  StopFailure: { error: "overloaded", error_details: "The model is busy", last_assistant_message: "" },
  SubagentStart: { agent_id: "agent-1", agent_type: "general" },
  SubagentStop: { agent_id: "agent-1", agent_type: "general", stop_hook_active: false },
  PreCompact: { trigger: "auto", custom_instructions: "" },
  SessionEnd: { reason: "other" },
};

/** What each event about a call has beside the call. */
const CALL_FIELDS: Partial<Record<HookEvent, (response: JsonObject) => JsonObject>> = {
  PreToolUse: () => ({}),
  PermissionRequest: () => ({ permission_suggestions: [] }),
  PermissionDenied: () => ({ reason: "a rule says no" }),
  PostToolUse: (tool_response) => ({ tool_response }),
  PostToolUseFailure: () => ({ error: "It did not work", is_interrupt: false }),
};

/** A moment at which a hook may be called, and what a matcher is held against. */
export interface SampleMoment {
  subject: string;
  input: HookInput;
}

/**
 * Moments of an event as a session has them, those that fit a matcher. Where none of the usual tools fits, one whose name is
 * `named`.
 */
export function sampleMoments(
  event: HookEvent,
  cwd: string,
  fits: (subject: string) => boolean,
  named: string,
): SampleMoment[] {
  const common = {
    session_id: "check",
    transcript_path: `${cwd}/transcript.jsonl`,
    cwd,
    hook_event_name: event,
    permission_mode: "default",
  };
  const more = CALL_FIELDS[event];
  if (more === undefined) return [{ subject: "", input: { ...common, ...FIELDS[event] } }];
  const call = (tool_name: string, tool_input: JsonObject, response: JsonObject): SampleMoment => ({
    subject: tool_name,
    input: { ...common, tool_name, tool_input, tool_use_id: "call-1", ...more(response) },
  });
  const usual = CALLS.filter(([tool]) => fits(tool)).map((one) => call(...one));
  return usual.length > 0 ? usual : [call(named, {}, { content: "" })];
}
