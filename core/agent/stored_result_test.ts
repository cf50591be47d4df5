import assert from "node:assert/strict";
import { sessionEvents } from "../session/mod.ts";
import type { SessionEvent } from "../session/mod.ts";
import type { AssistantMessage, NewEvent } from "../types/mod.ts";
import { storedResult } from "./stored_result.ts";

const USAGE = { input: 10, output: 5, cache_read: 0, cache_write: 0 };
const text = (words: string): AssistantMessage => ({
  role: "assistant",
  content: [{ type: "text", text: words }],
});
const answered = (message: AssistantMessage, stop: "end_turn" | "tool_use" | "max_tokens"): NewEvent[] => [
  sessionEvents.encode("model.answered", { model: "m", message_id: "x", stop, message }),
  sessionEvents.encode("usage.recorded", { model: "m", usage: USAGE, cost_usd: 0.5, duration_ms: 7 }),
];
const note = (words: string) => [sessionEvents.encode("run.note_added", { text: words })];
const finished = () => [
  sessionEvents.encode("run.finished", { status: "success", denials: 0, duration_ms: 30 }),
];

function stored(...events: NewEvent[][]): SessionEvent[] {
  return events.flat().map((event, index) => {
    const decoded = sessionEvents.decode({
      ...event,
      seq: index + 1,
      stream_id: "run/r",
      stream_seq: index + 1,
      ts: 1,
    });
    assert.ok(decoded.known);
    return decoded.event;
  });
}

Deno.test("storedResult() joins a continued answer and drops what came before a call or a correction", () => {
  const call: AssistantMessage = {
    role: "assistant",
    content: [
      { type: "text", text: "I look" },
      { type: "tool_use", call_id: "c", wire_id: "w", name: "Bash", input: { command: "rm x" } },
    ],
  };
  const refused = sessionEvents.encode("permission.decided", {
    call_id: "c",
    tool: "Bash",
    behavior: "deny",
    by: "headless",
    source: "mode",
    reason: "no",
  });
  const result = storedResult(
    stored(
      answered(call, "tool_use"),
      [refused],
      answered(text("no JSON"), "end_turn"),
      note("Answer again with the JSON value alone."),
      answered(text('{"a":'), "max_tokens"),
      note("Continue exactly where it stopped."),
      answered(text("1}"), "end_turn"),
      finished(),
    ),
    (answer) => ({ ok: true, value: JSON.parse(answer) }),
  );
  assert.deepEqual(result, {
    status: "success",
    answer: '{"a":1}',
    structured: { a: 1 },
    stop: "end_turn",
    turns: 4,
    usage: { input: 40, output: 20, cache_read: 0, cache_write: 0 },
    models: {
      m: { usage: { input: 40, output: 20, cache_read: 0, cache_write: 0 }, cost_usd: 2, requests: 4 },
    },
    cost_usd: 2,
    duration_ms: 30,
    duration_api_ms: 28,
    denials: [{ tool_name: "Bash", call_id: "c", tool_input: { command: "rm x" } }],
  });
});

Deno.test("storedResult() says that a run was interrupted, failed or has not ended", () => {
  const half = stored(answered(text("half"), "end_turn"));
  assert.deepEqual([storedResult(half, undefined).status, storedResult(half, undefined).error?.code], [
    "failed",
    "session.busy",
  ]);
  const stopped = storedResult(
    stored(
      answered(text("half"), "end_turn"),
      [sessionEvents.encode("run.interrupted", { reason: "the process ended before the run did" })],
    ),
    undefined,
  );
  assert.deepEqual([stopped.status, stopped.answer, stopped.error?.code], [
    "interrupted",
    "",
    "agent.interrupted",
  ]);
  assert.match(stopped.error?.message ?? "", /process ended.*another uuid/);
  const error = { code: "model.overloaded", message: "busy" };
  const failed = storedResult(
    stored([sessionEvents.encode("run.finished", { status: "failed", error, denials: 0, duration_ms: 3 })]),
    undefined,
  );
  assert.deepEqual([failed.status, failed.error, failed.duration_ms], ["failed", error, 3]);
});
