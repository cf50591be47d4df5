import { canonicalJson, LuminaError } from "../base/mod.ts";
import type { AssistantMessage, NewEvent } from "../types/mod.ts";
import { agentStream } from "./agent_stream.ts";
import { cutAt } from "./cut_at.ts";
import { sessionEvents } from "./events.ts";
import { runStream, SESSION_STREAM } from "./run_stream.ts";
import type { SessionState } from "./state.ts";
import { taskCycle, tasksOf } from "./tasks.ts";
import type { SessionCommand } from "./session_command.ts";

export type { DecidedPermission, SessionCommand } from "./session_command.ts";

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
  "note_command",
  "note_summary",
  "note_summary_failure",
  "note_mode",
  "create_task",
  "update_task",
]);

/** The stream a command writes to. */
export function streamOf(state: SessionState, command: SessionCommand): string {
  if (state.agent !== "") return agentStream(state.agent);
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
    case "compact": {
      if ((state.run?.calls.length ?? 0) > 0) throw illegal("Cannot compact: tool calls have no result yet");
      const { type: _type, ...payload } = command;
      if (typeof payload.from === "number") cutAt(state, payload.from);
      return [sessionEvents.encode("session.compacted", payload, ids)];
    }
    case "note_compaction_usage": {
      const { type: _type, ...spent } = command;
      return [sessionEvents.encode("usage.recorded", { chain: "compaction", ...spent }, ids)];
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
    case "note_command": {
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("session.command_run", payload)];
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
    case "steer_run": {
      requireRun(state);
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("run.steered", payload, ids)];
    }
    case "note_shell_start": {
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("tool.shell_started", payload, ids)];
    }
    case "note_shell_end": {
      if (!state.shells.some(({ shell_id }) => shell_id === command.shell_id)) return [];
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("tool.shell_ended", payload, ids)];
    }
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
        sessionEvents.encode("usage.recorded", {
          model,
          ...(state.agent === "" ? {} : { chain: "subagent" as const }),
          usage,
          cost_usd,
          duration_ms,
        }, ids),
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
    case "start_agent": {
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("subagent.started", payload, ids)];
    }
    case "finish_agent": {
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("subagent.finished", payload, ids)];
    }
    case "interrupt_agent": {
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("subagent.interrupted", payload, ids)];
    }
    case "keep_output": {
      openCall(state, command.call_id);
      const { call_id, content } = command;
      return [sessionEvents.encode("tool.output_kept", { call_id, content }, ids)];
    }
    case "use_skill": {
      requireRun(state);
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("run.skill_used", payload, ids)];
    }
    case "start_skill_commands": {
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("session.skill_commands_started", payload, ids)];
    }
    case "finish_skill_commands": {
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("session.skill_commands_finished", payload, ids)];
    }
    case "create_task":
    case "update_task":
      return [changedTask(state, command, ids)];
    case "note_mode": {
      const { type: _type, ...payload } = command;
      return [sessionEvents.encode("permission.mode_changed", payload, ids)];
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

/** A task that comes or changes; its id says which, and no tasks may wait for each other in a circle. */
function changedTask(
  state: SessionState,
  { type, task }: SessionCommand & { type: "create_task" | "update_task" },
  ids: { run_id?: string; step_id?: string },
): NewEvent {
  const tasks = tasksOf(state);
  const known = state.tasks.some(({ task_id }) => task_id === task.task_id);
  if (known === (type === "create_task")) {
    throw illegal(
      `Cannot ${type === "create_task" ? "create" : "update"} the task ${task.task_id}: it is ${
        known ? "there already" : "not there"
      }`,
    );
  }
  const after = [...tasks.filter(({ task_id }) => task_id !== task.task_id), task];
  if (taskCycle(after) !== undefined) throw illegal(`The task ${task.task_id} would wait for itself`);
  if (type === "create_task") return sessionEvents.encode("task.created", task, ids);
  return sessionEvents.encode("task.updated", task, ids);
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
