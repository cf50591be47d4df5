import { addUsage } from "../types/mod.ts";
import type { Message, StoredEvent, ToolResultBlock } from "../types/mod.ts";
import { messageText } from "../types/mod.ts";
import { cutAt } from "./cut_at.ts";
import { sessionEvents } from "./events.ts";
import type { SessionEvent } from "./events.ts";
import type { OpenRun, SessionState } from "./state.ts";

const TITLE_LENGTH = 80;

/**
 * Folds one stored event into the state: same events, same state. The given state is used up: the result may share
 * its storage, so that folding a long session stays linear. Unknown, newer and damaged events change nothing but `seq`;
 * `skipped` is told why.
 */
export function evolve(
  state: SessionState,
  stored: StoredEvent,
  skipped?: (problem: string) => void,
): SessionState {
  const decoded = sessionEvents.decode(stored);
  if (decoded.known) return evolveKnown(state, decoded.event);
  skipped?.(decoded.problem);
  see(state, stored);
  return state;
}

/** `evolve` for an event that is known to be well-formed, such as one that was just written. */
export function evolveKnown(state: SessionState, event: SessionEvent): SessionState {
  see(state, event);
  const stored = event;
  const run = state.run;
  switch (event.type) {
    case "session.created":
      state.session_id = event.payload.session_id;
      state.project_id = event.payload.project_id;
      state.cwd = event.payload.cwd;
      state.created_ts = stored.ts;
      break;
    case "session.prompt_set":
      state.system = event.payload.system;
      break;
    case "session.titled":
      state.title = event.payload.title;
      state.title_by = event.payload.by;
      break;
    case "session.pinned":
      state.pinned = event.payload.pinned;
      break;
    case "session.forked":
      state.forked_from = { session_id: event.payload.parent_id, seq: event.payload.parent_seq };
      break;
    case "session.rewound":
      if (event.payload.scope !== "files") cut(state, event.payload.to);
      break;
    case "session.placed":
      state.project_id = event.payload.project_id;
      state.cwd = event.payload.cwd;
      break;
    case "session.message_imported": {
      const { message } = event.payload;
      add(state, message);
      if (message.role === "assistant") state.turns++;
      else if (message.content.every((block) => block.type === "text")) {
        state.memory.prompts.push(event.seq);
        if (state.title === "") state.title = titleOf(messageText(message));
      }
      break;
    }
    case "memory.summarised": {
      const to = Math.max(state.memory.to, event.payload.to);
      state.memory = { to, prompts: state.memory.prompts.filter((seq) => seq > to), tried: 0 };
      break;
    }
    case "memory.failed":
      state.memory.tried = state.memory.prompts.filter((seq) => seq <= event.payload.to).length;
      break;
    case "run.started": {
      const { prompt, context } = event.payload;
      state.runs++;
      state.memory.prompts.push(event.seq);
      state.model = event.payload.model;
      if (state.title === "") state.title = titleOf(prompt);
      state.run = {
        run_id: stored.run_id ?? "",
        step_id: null,
        steps: 0,
        calls: [],
        results: [],
        partial: "",
      };
      const blocks = context === "" ? [prompt] : [context, prompt];
      add(state, { role: "user", content: blocks.map((text) => ({ type: "text", text })) });
      break;
    }
    case "run.note_added":
      add(state, { role: "user", content: [{ type: "text", text: event.payload.text }] });
      break;
    case "run.step_started":
      if (run !== null) {
        run.step_id = stored.step_id ?? null;
        run.steps = event.payload.index;
        run.partial = "";
      }
      break;
    case "model.answered": {
      const { message } = event.payload;
      state.turns++;
      add(state, message);
      if (run !== null) {
        run.partial = "";
        for (const block of message.content) {
          if (block.type === "tool_use") {
            run.calls.push({ call_id: block.call_id, name: block.name, started: false });
          }
        }
      }
      break;
    }
    case "model.retried":
    case "model.failed":
      if (run !== null && event.payload.partial !== null) run.partial = messageText(event.payload.partial);
      break;
    case "usage.recorded":
      state.usage = addUsage(state.usage, event.payload.usage);
      state.cost_usd = state.cost_usd === null || event.payload.cost_usd === null
        ? null
        : state.cost_usd + event.payload.cost_usd;
      break;
    case "tool.started": {
      const call = run?.calls.find((open) => open.call_id === event.payload.call_id);
      if (call !== undefined) call.started = true;
      break;
    }
    case "tool.finished":
      for (const { path, sha256 } of event.payload.seen) state.seen.set(path, sha256);
      if (run !== null) {
        const { call_id, content, is_error } = event.payload;
        addResult(state, run, { type: "tool_result", call_id, content, is_error });
      }
      break;
    case "tool.interrupted":
      if (run !== null) {
        addResult(state, run, {
          type: "tool_result",
          call_id: event.payload.call_id,
          content: interruptedText(event.payload.reason, event.payload.unknown_outcome),
          is_error: true,
        });
      }
      break;
    case "run.step_interrupted":
      if (run !== null) run.step_id = null;
      break;
    case "run.finished":
      state.last_status = event.payload.status;
      closeRun(state, event.payload.error?.message ?? event.payload.status);
      break;
    case "run.interrupted":
      state.last_status = "interrupted";
      closeRun(state, event.payload.reason);
      break;
  }
  return state;
}

function see(state: SessionState, { seq, ts, stream_id, stream_seq }: StoredEvent | SessionEvent): void {
  state.seq = seq;
  state.updated_ts = ts;
  state.versions.set(stream_id, stream_seq);
}

function add(state: SessionState, message: Message): void {
  state.messages.push(message);
  state.origins.push(state.seq);
}

/** The conversation goes back to a message; one that is no longer there changes nothing. */
function cut(state: SessionState, to: number): void {
  let length: number;
  try {
    length = cutAt(state, to);
  } catch {
    return; // the event was valid when it was written; what it named was damaged since and is skipped as well
  }
  state.messages.length = length;
  state.origins.length = length;
  const remaining = new Set(state.origins);
  state.memory.prompts = state.memory.prompts.filter((seq) => remaining.has(seq));
  state.memory.tried = Math.min(state.memory.tried, state.memory.prompts.length);
  if (state.messages.at(-1)?.role !== "user") return;
  add(state, { role: "assistant", content: [{ type: "text", text: "[The person went back to here.]" }] });
}

/** Results become one message, in the order of the calls, as soon as every call has one. */
function addResult(state: SessionState, run: OpenRun, result: ToolResultBlock): void {
  if (!run.calls.some((call) => call.call_id === result.call_id)) return;
  if (run.results.some((other) => other.call_id === result.call_id)) return;
  run.results.push(result);
  if (run.results.length < run.calls.length) return;
  const order = new Map(run.calls.map((call, index) => [call.call_id, index]));
  const content = run.results.sort((a, b) => (order.get(a.call_id) ?? 0) - (order.get(b.call_id) ?? 0));
  add(state, { role: "user", content });
  run.calls = [];
  run.results = [];
}

/** A run that ended without an answer leaves a short one, so that roles alternate and the model knows. */
function closeRun(state: SessionState, reason: string): void {
  const partial = state.run?.partial ?? "";
  state.run = null;
  if (state.messages.at(-1)?.role !== "user") return;
  const note = `[No complete answer: ${reason}]`;
  const text = partial === "" ? note : `${partial}\n${note}`;
  add(state, { role: "assistant", content: [{ type: "text", text }] });
}

function interruptedText(reason: string, unknownOutcome: boolean): string {
  return unknownOutcome
    ? `Interrupted (${reason}) after the tool had started: its outcome is unknown. Check what it did before you try again.`
    : `Not run: the run was interrupted (${reason}).`;
}

function titleOf(prompt: string): string {
  const line = prompt.trim().split("\n", 1)[0] ?? "";
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1)}…`;
}
