import { canonicalJson, LuminaError } from "../base/mod.ts";
import type { JsonObject, NewEvent } from "../types/mod.ts";
import type {
  AssistantMessage,
  Message,
  RepeatClass,
  RunStatus,
  StopReason,
  ToolEffect,
  Usage,
} from "../types/mod.ts";
import { cutAt } from "./cut_at.ts";
import { sessionEvents } from "./events.ts";
import { runStream, SESSION_STREAM } from "./run_stream.ts";
import type { SessionState } from "./state.ts";

/** Who decided about a call, and why. See the event `permission.decided`. */
export interface DecidedPermission {
  by: "policy" | "user" | "headless" | "hook";
  source: string;
  reason: string;
  rule?: string;
  mode?: string;
  /** SHA-256 over tool, canonical input and resolved paths. */
  shown?: string;
  remember?: "once" | "session" | "project" | "user";
  kept?: string[];
  hook?: string;
}

/** What can be asked of a session. Each command either gives its events or a `session.*` error. */
export type SessionCommand =
  | {
    type: "create";
    system: string;
    session_id: string;
    project_id: string;
    cwd: string;
    lumina_version: string;
    origin: "headless" | "interactive" | "import";
  }
  | { type: "set_prompt"; system: string }
  | { type: "set_title"; title: string; by: "user" | "auto" }
  | { type: "set_pinned"; pinned: boolean }
  | { type: "mark_fork"; parent_id: string; parent_seq: number; message: number | null }
  | {
    type: "rewind";
    to: number;
    scope: "files" | "conversation" | "both";
    snapshot: string | null;
    changed: number;
  }
  | { type: "import_message"; message: Message }
  | { type: "import_usage"; usage: Usage }
  | {
    type: "import_summary";
    from: number;
    to: number;
    title: string;
    summary: string;
    tags: string[];
    model: string;
  }
  | { type: "place"; project_id: string; cwd: string }
  | {
    type: "note_summary";
    from: number;
    to: number;
    title: string;
    summary: string;
    tags: string[];
    model: string;
    usage: Usage;
    cost_usd: number | null;
    duration_ms: number;
  }
  | {
    type: "note_summary_failure";
    from: number;
    to: number;
    reason: string;
    /** What the attempts used; null when no answer came at all. */
    spent: { model: string; usage: Usage; cost_usd: number | null; duration_ms: number } | null;
  }
  | {
    type: "start_run";
    run_id: string;
    /** The first step, which begins with the run. */
    step_id: string;
    prompt: string;
    context: string;
    model: string;
    mode: string;
    tools: string[];
  }
  | { type: "add_note"; text: string }
  | { type: "start_step"; step_id: string }
  | {
    type: "record_answer";
    model: string;
    message_id: string;
    message: AssistantMessage;
    stop: StopReason;
    usage: Usage;
    cost_usd: number | null;
    duration_ms: number;
  }
  | {
    type: "record_retry";
    attempt: number;
    code: string;
    error: string;
    delay_ms: number;
    status?: number;
    partial: AssistantMessage | null;
  }
  | { type: "record_fallback"; from: string; to: string; reason: string }
  | { type: "record_model_failure"; code: string; message: string; partial: AssistantMessage | null }
  | (DecidedPermission & {
    type: "decide_permission";
    call_id: string;
    tool: string;
    behavior: "allow" | "deny";
    pack?: string;
  })
  | { type: "emit_plugin"; pack: string; name: string; call_id: string; data: JsonObject }
  | { type: "trip_quota"; pack: string; quota: string; limit: number; value: number; call_id?: string }
  | { type: "disable_plugin"; pack: string; reason: string }
  | {
    type: "note_plugin_usage";
    model: string;
    usage: Usage;
    cost_usd: number | null;
    duration_ms: number;
  }
  | {
    type: "note_capture";
    snapshot: string;
    moment: "write" | "command" | "end" | "rewind";
    call_id?: string;
    skipped: string[];
  }
  | { type: "start_tool"; call_id: string; name: string; effect: ToolEffect; repeat: RepeatClass }
  | {
    type: "finish_tool";
    call_id: string;
    name: string;
    content: string;
    is_error: boolean;
    ran: boolean;
    seen: { path: string; sha256: string }[];
    data?: JsonObject;
    duration_ms: number;
  }
  | { type: "keep_output"; call_id: string; content: string }
  | { type: "warn"; text: string }
  | {
    type: "note_hook";
    event: string;
    hook: string;
    source: "managed" | "user" | "repo" | "pack";
    outcome: "allow" | "ask" | "deny" | "block" | "stop" | "changed" | "failed" | "slow";
    text: string;
    duration_ms: number;
    call_id?: string;
  }
  | {
    type: "finish_run";
    status: RunStatus;
    error?: { code: string; message: string };
    denials: number;
    duration_ms: number;
  }
  | { type: "interrupt_run"; reason: string };

/** Commands that are about the session and not about the run that may be open. */
const SESSION_COMMANDS: ReadonlySet<SessionCommand["type"]> = new Set([
  "create",
  "set_prompt",
  "set_title",
  "set_pinned",
  "mark_fork",
  "rewind",
  "import_message",
  "import_usage",
  "import_summary",
  "place",
  "note_summary",
  "note_summary_failure",
]);

/** The stream a command writes to. */
export function streamOf(state: SessionState, command: SessionCommand): string {
  if (SESSION_COMMANDS.has(command.type)) return SESSION_STREAM;
  if (command.type === "start_run") return runStream(command.run_id);
  return state.run === null ? SESSION_STREAM : runStream(state.run.run_id);
}

/** Validates a command against the state and says which events it makes. Pure. */
export function decide(state: SessionState, command: SessionCommand): NewEvent[] {
  const ids = {
    ...(state.run === null ? {} : { run_id: state.run.run_id }),
    ...(state.run?.step_id ? { step_id: state.run.step_id } : {}),
  };
  switch (command.type) {
    case "create": {
      if (state.session_id !== "") throw illegal(`Cannot create the session ${state.session_id} again`);
      const { type: _type, system, ...payload } = command;
      return [
        sessionEvents.encode("session.created", payload),
        sessionEvents.encode("session.prompt_set", { system }),
      ];
    }
    case "set_prompt":
      return state.system === command.system
        ? []
        : [sessionEvents.encode("session.prompt_set", { system: command.system })];
    case "set_title": {
      const title = command.title.trim();
      if (title === "") throw illegal("Cannot name the session: the title is empty");
      return title === state.title && state.title_by === command.by
        ? []
        : [sessionEvents.encode("session.titled", { title, by: command.by })];
    }
    case "set_pinned":
      return state.pinned === command.pinned
        ? []
        : [sessionEvents.encode("session.pinned", { pinned: command.pinned })];
    case "mark_fork": {
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("session.forked", payload)];
    }
    case "rewind": {
      if (state.run !== null) throw illegal("Cannot rewind: a run is open", "session.busy");
      const { type: _type, ...payload } = command;
      if (payload.scope !== "files") cutAt(state, payload.to);
      return [sessionEvents.encode("session.rewound", payload)];
    }
    case "import_message":
      if (state.run !== null) throw illegal("Cannot import a message: a run is open", "session.busy");
      return [sessionEvents.encode("session.message_imported", { message: command.message })];
    case "import_usage":
      return [
        sessionEvents.encode("usage.recorded", {
          model: "",
          chain: "imported",
          usage: command.usage,
          cost_usd: null,
          duration_ms: 0,
        }),
      ];
    case "import_summary": {
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("memory.summarised", payload)];
    }
    case "place": {
      if (state.run !== null) throw illegal("Cannot move the session: a run is open", "session.busy");
      const { project_id, cwd } = command;
      if (state.cwd === cwd) return [];
      return [sessionEvents.encode("session.placed", { project_id, cwd })];
    }
    case "note_summary_failure": {
      const { from, to, reason, spent } = command;
      const failed = sessionEvents.encode("memory.failed", { from, to, reason });
      return spent === null
        ? [failed]
        : [failed, sessionEvents.encode("usage.recorded", { chain: "session_memory", ...spent })];
    }
    case "note_summary": {
      const { from, to, title, summary, tags, model, usage, cost_usd, duration_ms } = command;
      return [
        sessionEvents.encode("memory.summarised", { from, to, title, summary, tags, model }),
        sessionEvents.encode("usage.recorded", {
          model,
          chain: "session_memory",
          usage,
          cost_usd,
          duration_ms,
        }),
      ];
    }
    case "start_run": {
      if (state.session_id === "") throw illegal("Cannot start a run: the session is not created");
      if (state.run !== null) {
        throw illegal(`Cannot start a run: ${state.run.run_id} is still open`, "session.busy");
      }
      const { type: _type, run_id, step_id, ...payload } = command;
      return [
        sessionEvents.encode("run.started", payload, { run_id }),
        sessionEvents.encode("run.step_started", { index: 1 }, { run_id, step_id }),
      ];
    }
    case "add_note":
      requireRun(state);
      return [sessionEvents.encode("run.note_added", { text: command.text }, ids)];
    case "start_step": {
      const run = requireRun(state);
      if (run.calls.length > 0) throw illegal("Cannot start a step: tool calls have no result yet");
      return [
        sessionEvents.encode("run.step_started", { index: run.steps + 1 }, {
          run_id: run.run_id,
          step_id: command.step_id,
        }),
      ];
    }
    case "record_answer": {
      const { model, message_id, stop, usage, cost_usd, duration_ms } = command;
      requireRun(state);
      // the journal sorts the keys of a payload: the next request must send them as the one after a resume will
      const message: AssistantMessage = JSON.parse(canonicalJson(command.message));
      return [
        sessionEvents.encode("model.answered", { model, message_id, stop, message }, ids),
        sessionEvents.encode("usage.recorded", { model, usage, cost_usd, duration_ms }, ids),
      ];
    }
    case "record_retry": {
      const { attempt, code, error, delay_ms, status, partial } = command;
      const payload = { attempt, error: { code, message: error }, delay_ms, partial };
      return [
        sessionEvents.encode("model.retried", status === undefined ? payload : { ...payload, status }, ids),
      ];
    }
    case "record_fallback": {
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("model.fell_back", payload, ids)];
    }
    case "record_model_failure": {
      const { code, message, partial } = command;
      return [sessionEvents.encode("model.failed", { error: { code, message }, partial }, ids)];
    }
    case "decide_permission": {
      requireCaller(state, command.call_id);
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("permission.decided", payload, ids)];
    }
    case "emit_plugin": {
      requireCaller(state, command.call_id);
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("plugin.emitted", payload, ids)];
    }
    case "trip_quota": {
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("plugin.quota_tripped", payload, ids)];
    }
    case "disable_plugin": {
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("plugin.disabled", payload, ids)];
    }
    case "note_plugin_usage": {
      const { type: _type, ...spent } = command;
      return [sessionEvents.encode("usage.recorded", { chain: "plugin", ...spent }, ids)];
    }
    case "note_capture": {
      if (command.moment !== "rewind") requireRun(state);
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("checkpoint.captured", payload, ids)];
    }
    case "start_tool": {
      const call = openCall(state, command.call_id);
      if (call.started) throw illegal(`Cannot start the call ${command.call_id} twice`);
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("tool.started", payload, ids)];
    }
    case "finish_tool": {
      const call = openCall(state, command.call_id);
      if (command.ran && !call.started) {
        throw illegal(`Cannot finish the call ${command.call_id}: it never started`);
      }
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("tool.finished", payload, ids)];
    }
    case "keep_output": {
      openCall(state, command.call_id);
      const { call_id, content } = command;
      return [sessionEvents.encode("tool.output_kept", { call_id, content }, ids)];
    }
    case "warn":
      return [sessionEvents.encode("warning.raised", { text: command.text }, ids)];
    case "note_hook": {
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("warning.hook", payload, ids)];
    }
    case "finish_run": {
      const run = requireRun(state);
      if (run.calls.length > 0) throw illegal("Cannot finish the run: tool calls have no result yet");
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("run.finished", payload, ids)];
    }
    case "interrupt_run":
      requireRun(state);
      return interruption(state, command.reason, ids);
  }
}

/** Everything that is open gets its interrupted event: calls first, then the step, then the run. */
function interruption(
  state: SessionState,
  reason: string,
  ids: { run_id?: string; step_id?: string },
): NewEvent[] {
  const run = requireRun(state);
  const answered = new Set(run.results.map((result) => result.call_id));
  const events = run.calls
    .filter((call) => !answered.has(call.call_id))
    .map((call) =>
      sessionEvents.encode("tool.interrupted", {
        call_id: call.call_id,
        name: call.name,
        reason,
        unknown_outcome: call.started,
      }, ids)
    );
  if (run.step_id !== null) events.push(sessionEvents.encode("run.step_interrupted", { reason }, ids));
  events.push(sessionEvents.encode("run.interrupted", { reason }, ids));
  return events;
}

function requireRun(state: SessionState): NonNullable<SessionState["run"]> {
  if (state.run === null) throw illegal("No run is open");
  return state.run;
}

function openCall(state: SessionState, call_id: string): { started: boolean } {
  const run = requireRun(state);
  const call = run.calls.find((open) => open.call_id === call_id);
  if (call === undefined || run.results.some((result) => result.call_id === call_id)) {
    throw illegal(`No open tool call ${call_id}`);
  }
  return call;
}

/** What a pack's service is asked for: an open call, or a hook, whose calls are no calls of the model and belong to no run. */
function requireCaller(state: SessionState, call_id: string): void {
  if (!call_id.startsWith("hook-")) openCall(state, call_id);
}

function illegal(message: string, code = "session.illegal"): LuminaError {
  return new LuminaError(code, message, { exit: 5 });
}
