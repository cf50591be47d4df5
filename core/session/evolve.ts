import { typedUrls } from "../permission/mod.ts";
import { addUsage, messageText } from "../types/mod.ts";
import type { Message, StoredEvent, ToolResultBlock } from "../types/mod.ts";
import { evolveAgents, toldOfAgents } from "./agent_record.ts";
import { agentOf } from "./agent_stream.ts";
import { anchorContext, cutCompactions, evolveCompaction } from "./compaction.ts";
import { noteThinking } from "./thinking.ts";
import { cutAt } from "./cut_at.ts";
import { sessionEvents } from "./events.ts";
import type { SessionEvent } from "./events.ts";
import { runStream } from "./run_stream.ts";
import type { OpenCall, OpenRun, SessionState } from "./state.ts";
import { addUnknown, resolveUnknown, unknownText } from "./unknown_outcome.ts";

const TITLE_LENGTH = 80;
const MOST_TYPED = 500;

/** Told why an event, or what it says, is left out. */
export type Skipped = (problem: string) => void;

/**
 * Folds one stored event into the state: same events, same state. The given state is used up: the result may share
 * its storage, so that folding a long session stays linear. Unknown, newer and damaged events change nothing but
 * `seq`, and what hangs on a missing event is repaired: every call keeps exactly one result, a result without its call
 * is left out, a run without its start or end is opened or closed. `skipped` is told what was left out and why.
 */
export function evolve(state: SessionState, stored: StoredEvent, skipped?: Skipped): SessionState {
  if (agentOf(stored.stream_id) !== state.agent) return evolveBeside(state, stored);
  const decoded = sessionEvents.decode(stored);
  if (decoded.known) return evolveKnown(state, decoded.event, skipped);
  if (decoded.reason !== "redacted") skipped?.(decoded.problem); // what someone wanted gone is no loss to tell of
  see(state, stored);
  // nothing but its start can be the first event of a run
  const { run_id, stream_id, stream_seq } = stored;
  const starts = run_id !== undefined && stream_seq === 1 && stream_id === runStream(run_id);
  if (starts && decoded.reason === "redacted") openMissing(state, stored, REDACTED_START);
  return state;
}

/**
 * Folds an event of another conversation of the same journal: what a sub-agent used is a part of what its session used,
 * and nothing else of it is.
 */
export function evolveBeside(state: SessionState, stored: StoredEvent | SessionEvent): SessionState {
  state.seq = Math.max(state.seq, stored.seq);
  state.updated_ts = Math.max(state.updated_ts, stored.ts);
  if (state.agent !== "" || stored.type !== "usage.recorded") return state;
  const decoded = sessionEvents.decode(stored as StoredEvent);
  if (decoded.known && decoded.event.type === "usage.recorded") addUse(state, decoded.event.payload);
  return state;
}

function addUse(
  state: SessionState,
  { usage, cost_usd }: { usage: SessionState["usage"]; cost_usd: number | null },
): void {
  state.usage = addUsage(state.usage, usage);
  state.cost_usd = state.cost_usd === null || cost_usd === null ? null : state.cost_usd + cost_usd;
  const { usd, unpriced } = state.spent;
  state.spent = cost_usd === null ? { usd, unpriced: unpriced + 1 } : { usd: usd + cost_usd, unpriced };
}

/** `evolve` for an event that is known to be well-formed, such as one that was just written. */
export function evolveKnown(state: SessionState, event: SessionEvent, skipped?: Skipped): SessionState {
  see(state, event);
  const stored = event;
  if (PARTS_OF_A_RUN.has(event.type)) openMissing(state, stored);
  const run = state.run;
  switch (event.type) {
    case "session.created":
      state.session_id = event.payload.session_id;
      state.project_id = event.payload.project_id;
      state.cwd = event.payload.cwd;
      state.created_ts = stored.ts;
      if (event.payload.origin === "import") state.last_status = "imported";
      break;
    case "session.prompt_set":
      state.system = event.payload.system;
      state.anchor = null;
      break;
    case "session.compacted":
      if (run !== null) settle(state, run);
      evolveCompaction(state, event);
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
      if (run !== null) closeRun(state, LOST_END);
      if (event.payload.scope !== "files") cut(state, event.payload.to);
      break;
    case "session.placed":
      state.project_id = event.payload.project_id;
      state.cwd = event.payload.cwd;
      break;
    case "session.message_imported": {
      if (run !== null) closeRun(state, LOST_END);
      const { message } = event.payload;
      add(state, message);
      if (message.role === "assistant") state.turns++;
      else if (message.content.every((block) => block.type !== "tool_result")) {
        state.memory.prompts.push(event.seq);
        state.requests.push(event.seq);
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
      const { prompt, context, media = [], typed = true } = event.payload;
      if (run !== null) closeRun(state, LOST_END);
      state.runs++;
      toldOfAgents(state);
      state.memory.prompts.push(event.seq);
      state.requests.push(event.seq);
      if (typed) noteTyped(state, prompt);
      state.model = event.payload.model;
      if (state.title === "") state.title = titleOf(prompt);
      state.run = newRun(stored);
      const blocks = context === "" ? [prompt] : [context, prompt];
      const texts = blocks.map((text) => ({ type: "text" as const, text }));
      add(state, { role: "user", content: [...texts, ...media] });
      break;
    }
    case "run.note_added":
      if (run !== null) settle(state, run);
      add(state, { role: "user", content: [{ type: "text", text: event.payload.text }] });
      break;
    case "run.steered": {
      const { text, context, media = [] } = event.payload;
      if (run !== null) settle(state, run);
      state.requests.push(event.seq);
      noteTyped(state, text);
      const texts = (context === "" ? [text] : [context, text]).map((text) => ({
        type: "text" as const,
        text,
      }));
      add(state, { role: "user", content: [...texts, ...media] });
      break;
    }
    case "task.created":
    case "task.updated":
      state.tasks.push({ ...event.payload, seq: event.seq });
      break;
    case "tool.shell_started":
      state.shell_count = Math.max(
        state.shell_count,
        Number(event.payload.shell_id.slice("sh_".length)) || 0,
      );
      state.shells.push({ shell_id: event.payload.shell_id, command: event.payload.command });
      break;
    case "tool.shell_ended":
      state.shells = state.shells.filter(({ shell_id }) => shell_id !== event.payload.shell_id);
      break;
    case "run.skill_used": {
      const { name, source, text } = event.payload;
      const before = state.skills.find((skill) => skill.name === name);
      state.skills = state.skills.filter((skill) => skill !== before);
      state.skills.push({ name, source, text, uses: (before?.uses ?? 0) + 1, seq: event.seq });
      break;
    }
    case "run.step_started":
      if (run !== null) {
        settle(state, run);
        delete run.answers;
        run.step_id = stored.step_id ?? null;
        run.steps = event.payload.index;
        run.partial = "";
      }
      break;
    case "model.fell_back":
      if (run !== null) run.answers = event.payload.to;
      break;
    case "model.answered": {
      const { message } = event.payload;
      noteThinking(state, event.seq, message);
      if (run !== null) settle(state, run);
      state.turns++;
      add(state, message);
      if (run === null) break; // an answer outside any run has no calls that could still end
      run.partial = "";
      for (const block of message.content) {
        if (block.type !== "tool_use") continue;
        const { call_id, name, input } = block;
        run.calls.push({ call_id, name, input, started: false });
      }
      break;
    }
    case "model.retried":
    case "model.failed":
      if (run !== null && event.payload.partial !== null) run.partial = messageText(event.payload.partial);
      break;
    case "usage.recorded":
      addUse(state, event.payload);
      anchorContext(state, event.payload);
      break;
    case "subagent.started":
    case "subagent.finished":
    case "subagent.interrupted":
      evolveAgents(state, event);
      break;
    case "tool.started": {
      const call = openCall(run, event.payload.call_id);
      if (call === undefined) break;
      call.started = true;
      call.tool = event.payload.name;
      call.repeat = event.payload.repeat;
      break;
    }
    case "tool.finished": {
      for (const { path, sha256 } of event.payload.seen) {
        state.seen.delete(path); // the newest one is the last
        state.seen.set(path, sha256);
      }
      const { call_id, content, is_error, ran, media } = event.payload;
      const call = openCall(run, call_id);
      if (run === null || call === undefined) orphan(event, skipped);
      else {
        if (ran) resolveUnknown(state, call.tool ?? event.payload.name, call.input);
        const shown = media === undefined ? {} : { media };
        addResult(state, run, { type: "tool_result", call_id, content, is_error, ...shown });
      }
      break;
    }
    case "tool.interrupted": {
      const { call_id, reason, unknown_outcome } = event.payload;
      const call = openCall(run, call_id);
      if (run === null || call === undefined) orphan(event, skipped);
      else interruptCall(state, run, call, reason, unknown_outcome);
      break;
    }
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

/** Addresses of earlier prompts stay: the newest of them. */
function noteTyped(state: SessionState, text: string): void {
  const typed = typedUrls(text);
  if (typed.length > 0) state.typed_urls = [...new Set([...state.typed_urls, ...typed])].slice(-MOST_TYPED);
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
  const gone = state.origins[length];
  // a prompt is taken back as if it had not been sent, an answer is the last thing that happened
  const until = gone === to ? to : (state.origins[length - 1] ?? 0) + 1;
  state.messages.length = length;
  state.origins.length = length;
  state.compactions = cutCompactions(state.compactions, length, until);
  state.anchor = null;
  const remaining = new Set(state.origins);
  if (gone !== undefined) state.tasks = state.tasks.filter(({ seq }) => seq < gone);
  const last = state.origins.at(-1) ?? 0;
  state.skills = state.skills.filter(({ seq }) => seq <= last);
  state.requests = state.requests.filter((seq) => remaining.has(seq));
  state.memory.prompts = state.memory.prompts.filter((seq) => remaining.has(seq));
  state.memory.tried = Math.min(state.memory.tried, state.memory.prompts.length);
  if (state.messages.at(-1)?.role !== "user") return;
  add(state, { role: "assistant", content: [{ type: "text", text: "[The person went back to here.]" }] });
}

/** Events that only come inside a run: one without a run shows that the run's start is missing. */
const PARTS_OF_A_RUN: ReadonlySet<string> = new Set([
  "run.step_started",
  "run.note_added",
  "run.steered",
  "model.answered",
]);
const LOST_START = "[What was asked here is missing from the journal.]";
const REDACTED_START = "[What was asked here was redacted.]";
const LOST_END = "its end is missing from the journal";
const LOST_RESULT = "its result is missing from the journal";

function newRun({ run_id }: { run_id?: string }): OpenRun {
  return { run_id: run_id ?? "", step_id: null, steps: 0, calls: [], results: [], partial: "" };
}

/** The start of the run that this event belongs to is missing: the run goes on without what was asked. */
function openMissing(state: SessionState, event: { run_id?: string }, said = LOST_START): void {
  if (event.run_id === undefined || state.run?.run_id === event.run_id) return;
  if (state.run !== null) closeRun(state, LOST_END);
  state.runs++;
  state.run = newRun(event);
  if (state.messages.at(-1)?.role !== "user") {
    add(state, { role: "user", content: [{ type: "text", text: said }] });
  }
}

function openCall(run: OpenRun | null, call_id: string): OpenCall | undefined {
  if (run === null || run.results.some((result) => result.call_id === call_id)) return undefined;
  return run.calls.find((call) => call.call_id === call_id);
}

/** A result whose call is missing, or has a result already, stays out of the conversation. */
function orphan(event: SessionEvent & { payload: { call_id: string } }, skipped: Skipped | undefined): void {
  skipped?.(`event ${event.seq} "${event.type}": the call ${event.payload.call_id} is not open`);
}

/** The call ends without an outcome; one that had started may have acted. */
function interruptCall(
  state: SessionState,
  run: OpenRun,
  call: OpenCall,
  reason: string,
  unknown_outcome: boolean,
): void {
  const { call_id, input, tool, name, repeat = "mark" } = call;
  if (unknown_outcome) {
    addUnknown(state, { call_id, name: tool ?? name, input, repeat, run: state.runs, seq: state.seq });
  }
  const content = unknown_outcome
    ? unknownText(reason, repeat)
    : `Not run: the run was interrupted (${reason}).`;
  addResult(state, run, { type: "tool_result", call_id, content, is_error: true });
}

/** What follows the results has come, so those that are not there are missing from the journal. */
function settle(state: SessionState, run: OpenRun): void {
  for (const call of [...run.calls]) {
    if (openCall(run, call.call_id) === call) interruptCall(state, run, call, LOST_RESULT, call.started);
  }
}

/** Results become one message, in the order of the calls, as soon as every call has one. */
function addResult(state: SessionState, run: OpenRun, result: ToolResultBlock): void {
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
  if (state.run !== null) {
    settle(state, state.run);
    state.versions.delete(runStream(state.run.run_id));
  }
  const partial = state.run?.partial ?? "";
  state.run = null;
  if (state.messages.at(-1)?.role !== "user") return;
  const note = `[No complete answer: ${reason}]`;
  const text = partial === "" ? note : `${partial}\n${note}`;
  add(state, { role: "assistant", content: [{ type: "text", text }] });
}

function titleOf(prompt: string): string {
  const line = prompt.trim().split("\n", 1)[0] ?? "";
  return line.length <= TITLE_LENGTH ? line : `${line.slice(0, TITLE_LENGTH - 1)}…`;
}
