import { LuminaError } from "../base/mod.ts";
import type { AssistantMessage, StoredEvent } from "../types/mod.ts";
import { decide, streamOf } from "./decide.ts";
import type { SessionCommand } from "./decide.ts";
import { evolve } from "./evolve.ts";
import { emptySession } from "./state.ts";
import type { SessionState } from "./state.ts";

const USAGE = { input: 10, output: 5, cache_read: 3, cache_write: 1 };

/** What a session might be told next; each choice picks one of these kinds, refused ones are skipped. */
const KINDS: ((state: SessionState, choice: number, id: string) => SessionCommand)[] = [
  (_, choice, id) => ({
    type: "start_run",
    run_id: `run-${id}`,
    step_id: `${id}-1`,
    prompt: `prompt ${choice}\nmore`,
    context: choice % 2 === 0 ? "" : "<context>\n</context>",
    model: `m${choice % 2}`,
    mode: "ask",
    tools: ["Read"],
  }),
  (state, choice, id) => answer(state, id, choice % 4),
  (state, choice, id) => answer(state, id, 1 + choice % 3),
  (state, choice) => ({
    type: "start_tool",
    call_id: call(state, choice),
    name: "Tool",
    effect: "write",
    repeat: (["retry", "ask", "mark"] as const)[choice % 3]!,
  }),
  (state, choice) => ({ ...finish(state, choice), ran: true }),
  (state, choice) => ({ ...finish(state, choice), ran: false, is_error: true }),
  (_, _choice, id) => ({ type: "start_step", step_id: `${id}-s` }),
  (_, _choice, id) => ({ type: "add_note", text: `note ${id}` }),
  (_, choice) => ({
    type: "record_retry",
    attempt: 1,
    code: "model.x",
    error: "cut",
    delay_ms: 1,
    partial: choice % 2 === 0 ? null : { role: "assistant", content: [{ type: "text", text: "half" }] },
  }),
  (_, choice) => ({
    type: "finish_run",
    status: choice % 2 === 0 ? "success" : "failed",
    denials: 0,
    duration_ms: 1,
  }),
  () => ({ type: "interrupt_run", reason: "stopped" }),
  (state, choice) => ({
    type: "rewind",
    to: state.origins[choice % Math.max(1, state.origins.length)] ?? 0,
    scope: choice % 2 === 0 ? "conversation" : "both",
    snapshot: null,
    changed: 0,
  }),
  (_, choice) => ({
    type: "set_title",
    title: `title ${choice}`,
    by: choice % 2 === 0 ? "user" : "auto",
  }),
  (_, choice) => ({ type: "set_pinned", pinned: choice % 2 === 0 }),
  (_, _choice, id) => ({
    type: "import_message",
    message: { role: "user", content: [{ type: "text", text: `imported ${id}` }] },
  }),
  (_, _choice, id) => ({ type: "warn", text: `warning ${id}` }),
  (state, choice, id) => ({
    type: "compact",
    trigger: "auto",
    tier: "summary",
    head: [`summary ${id}`],
    from: choice % 7 === 0 ? null : state.origins[choice % Math.max(1, state.origins.length)] ?? null,
    replaced: [],
    tokens_before: 2,
    tokens_after: 1,
  }),
];

/** The events of a session that was told what the choices say; every choice is any natural number. */
export function generatedSession(choices: readonly number[]): StoredEvent[] {
  const events: StoredEvent[] = [];
  let state = emptySession();
  const tell = (command: SessionCommand) => {
    const stream_id = streamOf(state, command);
    for (const event of decide(state, command)) {
      const stream_seq = (versions.get(stream_id) ?? 0) + 1;
      versions.set(stream_id, stream_seq);
      const seq = events.length + 1;
      events.push({ ...structuredClone(event), seq, stream_id, stream_seq, ts: 1000 + seq });
    }
    for (const event of events.slice(state.seq)) state = evolve(state, structuredClone(event));
  };
  const versions = new Map<string, number>();
  tell({
    type: "create",
    system: "be good",
    session_id: "s1",
    project_id: "p1",
    cwd: "/w",
    lumina_version: "0",
    origin: "headless",
  });
  choices.forEach((choice, index) => {
    const kind = KINDS[choice % KINDS.length]!;
    try {
      tell(kind(state, Math.trunc(choice / KINDS.length), String(index)));
    } catch (error) {
      if (!(error instanceof LuminaError)) throw error; // the state forbids it: another choice follows
    }
  });
  return events;
}

/** A run with several calls in a step, one after the other and interleaved, told in order; the everyday case. */
export function everydaySession(runs: number): StoredEvent[] {
  const [start, , calls, begin, done, , step] = [0, 1, 2, 3, 4, 5, 6];
  const of = (kind: number | undefined, choice = 0) => choice * KINDS.length + (kind ?? 0);
  const run = [
    of(start, 1),
    of(calls, 1),
    of(begin, 0),
    of(begin, 1),
    of(done, 1),
    of(done, 0),
    of(step),
    of(calls, 0),
    of(begin, 2),
    of(done, 0),
    of(step),
    of(1, 0),
    of(9, 0),
  ];
  return generatedSession(Array.from({ length: runs }, () => run).flat());
}

function answer(state: SessionState, id: string, calls: number): SessionCommand {
  const message: AssistantMessage = { role: "assistant", content: [{ type: "text", text: `answer ${id}` }] };
  // an answer comes after the results of the one before
  for (let n = 0; state.run?.calls.length === 0 && n < calls; n++) {
    message.content.push({
      type: "tool_use",
      call_id: `call-${id}-${n}`,
      wire_id: `w-${id}-${n}`,
      name: "Tool",
      input: { n: n % 2 },
    });
  }
  const stop = message.content.length > 1 ? "tool_use" : "end_turn";
  const figures = { usage: USAGE, cost_usd: 0.5, duration_ms: 1 };
  if (state.run === null || state.run.calls.length > 0) return { type: "add_note", text: "between" };
  return { type: "record_answer", model: "m0", message_id: id, message, stop, ...figures };
}

function call(state: SessionState, choice: number): string {
  const calls = state.run?.calls ?? [];
  return calls[choice % Math.max(1, calls.length)]?.call_id ?? "none";
}

function finish(state: SessionState, choice: number) {
  const call_id = call(state, choice);
  return {
    type: "finish_tool" as const,
    call_id,
    name: "Tool",
    content: `result of ${call_id}`,
    is_error: false,
    seen: [{ path: `/w/${choice % 3}`, sha256: String(choice) }],
    duration_ms: 1,
  };
}
