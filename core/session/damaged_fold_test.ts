import assert from "node:assert/strict";
import fc from "fast-check";
import { DAMAGED_EVENT, REDACTED_EVENT } from "../journal/mod.ts";
import type { Message, StoredEvent } from "../types/mod.ts";
import { contextMessages } from "./compaction.ts";
import { decide } from "./decide.ts";
import { evolve } from "./evolve.ts";
import { everydaySession, generatedSession } from "./generated_session_testing.ts";
import { emptySession } from "./state.ts";
import type { SessionState } from "./state.ts";

/** Folds the events, closes what is open as an opening does, and begins a run. */
function resume(events: readonly StoredEvent[]): { state: SessionState; skipped: string[] } {
  const skipped: string[] = [];
  let state = emptySession();
  const next = (event: StoredEvent) => state = evolve(state, event, (problem) => skipped.push(problem));
  for (const event of structuredClone(events)) next(event);
  const tell = (command: Parameters<typeof decide>[1], stream_id: string) => {
    for (const event of decide(state, command)) {
      next({ ...event, seq: state.seq + 1, stream_id, stream_seq: 999, ts: 1 });
    }
  };
  if (state.run !== null) tell({ type: "interrupt_run", reason: "died" }, `run/${state.run.run_id}`);
  state.session_id ||= "s1";
  const prompt = { prompt: "go on", context: "", model: "m", mode: "ask", tools: [] };
  tell({ type: "start_run", run_id: "resumed", step_id: "resumed-1", ...prompt }, "run/resumed");
  return { state, skipped };
}

/** What both wires want: results of all calls right behind them and nowhere else, a person first and last. */
function assertValid(state: SessionState, where: string): void {
  assertMessages(state.messages, where);
  assertMessages(contextMessages(state), `${where}, as the next request has it`);
}

function assertMessages(messages: readonly Message[], where: string): void {
  assert.equal(messages[0]?.role, "user", where);
  assert.equal(messages.at(-1)?.role, "user", where);
  messages.forEach((message, at) => {
    const calls = message.content.flatMap((block) => block.type === "tool_use" ? [block.call_id] : []);
    const next = messages[at + 1];
    const results = (message: Message | undefined) =>
      message?.content.flatMap((block) => block.type === "tool_result" ? [block.call_id] : []) ?? [];
    if (calls.length > 0) assert.deepEqual(results(next), calls, `${where}: results of message ${at}`);
    if (results(message).length > 0) {
      const before = messages[at - 1]?.content.filter((block) => block.type === "tool_use").length;
      assert.equal(before, results(message).length, `${where}: results without calls in message ${at}`);
    }
  });
}

/** The journal with one event gone, and with its payload damaged. */
function* damaged(events: readonly StoredEvent[]): Generator<[string, StoredEvent[]]> {
  for (const [at, event] of events.entries()) {
    yield [`without event ${event.seq} ${event.type}`, events.filter((other) => other !== event)];
    const { type, version } = event;
    const payload = { type, version, problem: "the payload is damaged" };
    yield [
      `event ${event.seq} ${event.type} damaged`,
      events.with(at, { ...event, type: DAMAGED_EVENT, version: 1, payload }),
    ];
  }
}

Deno.test("whichever event of a session is missing or damaged, the next request is valid", () => {
  for (const [where, events] of damaged(everydaySession(3))) {
    const { state } = resume(events);
    assertValid(state, where);
    assert.equal(state.origins.length, state.messages.length, where);
    assert.equal(state.run?.run_id, "resumed", where);
  }
});

Deno.test("whatever a session has been through and whichever events it lost, the next request is valid", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(), { minLength: 5, maxLength: 80 }),
      fc.array(fc.nat(), { maxLength: 4 }),
      (choices, losses) => {
        let events = generatedSession(choices);
        for (const loss of losses) events = events.toSpliced(loss % events.length, 1);
        assertValid(resume(events).state, JSON.stringify({ choices, losses }));
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("a session cut off behind any event, as a fork or a crash leaves it, goes on with a valid request", () => {
  const events = everydaySession(2);
  for (let length = 0; length <= events.length; length++) {
    assertValid(resume(events.slice(0, length)).state, `the first ${length} events`);
  }
});

Deno.test("a result without its call is left out and named", () => {
  const events = everydaySession(1);
  const lost = events.find((event) => event.type === "model.answered")!;
  const { state, skipped } = resume(events.filter((event) => event !== lost));
  const results = events.filter((event) => event.type === "tool.finished").slice(0, 2);
  for (const { seq } of results) {
    assert.ok(
      skipped.some((line) => line.startsWith(`event ${seq} "tool.finished": the call `)),
      `${skipped}`,
    );
  }
  assert.equal(JSON.stringify(state.messages).includes("result of call-2"), false);
});

Deno.test("a call whose result is missing gets one, and its outcome is unknown until the same call has run", () => {
  const events = everydaySession(2);
  const lost = events.find((event) => event.type === "tool.finished")!;
  const { call_id } = lost.payload as { call_id: string };
  const without = events.filter((event) => event !== lost);
  const second = events.findIndex((event) => event.type === "run.finished") + 1;
  const { state } = resume(without.slice(0, second - 1));
  assert.deepEqual(state.unknown.map((outcome) => [outcome.call_id, outcome.input, outcome.repeat]), [
    [call_id, { n: 1 }, "ask"],
  ]);
  assert.match(JSON.stringify(state.messages), /its outcome is unknown. Check .* needs a person's consent/);
  assert.deepEqual(resume(without).state.unknown, [], "the second run made the same call");
});

Deno.test("a prompt that was redacted keeps its number and says so; its answer stays with it", () => {
  const events = everydaySession(2);
  const at = events.findLastIndex((event) => event.type === "run.started");
  const { seq } = events[at]!;
  const gone = { ...events[at]!, type: REDACTED_EVENT, version: 1, payload: { redacted_by: 99 } };
  const { state, skipped } = resume(events.with(at, gone));
  const index = state.origins.indexOf(seq);
  assert.deepEqual(state.messages[index]?.content, [{
    type: "text",
    text: "[What was asked here was redacted.]",
  }]);
  assert.equal(state.messages[index + 1]?.role, "assistant");
  assert.equal(JSON.stringify(state.messages).includes("missing from the journal"), false);
  assert.deepEqual(skipped, []);
  assertValid(state, "redacted");
});
