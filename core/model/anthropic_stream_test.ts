import assert from "node:assert/strict";
import type { JsonObject } from "../types/mod.ts";
import { AnthropicStream } from "./anthropic_stream.ts";
import { MessageBuilder } from "./message_builder.ts";
import { done, quickWorld } from "./test_server.ts";

function read(events: JsonObject[]) {
  const builder = new MessageBuilder(quickWorld(), "m");
  const stream = new AnthropicStream(builder);
  let complete = false;
  for (const event of events) complete = stream.push(event) || complete;
  return { builder, complete, events: builder.take() };
}

const START: JsonObject = {
  type: "message_start",
  message: { id: "msg_1", usage: { input_tokens: 10, output_tokens: 1, cache_read_input_tokens: 4 } },
};
const tool = (index: number, id: string): JsonObject => ({
  type: "content_block_start",
  index,
  content_block: { type: "tool_use", id, name: "Read", input: {} },
});
const json = (index: number, partial_json: string): JsonObject => ({
  type: "content_block_delta",
  index,
  delta: { type: "input_json_delta", partial_json },
});
const stop = (index: number): JsonObject => ({ type: "content_block_stop", index });
const end = (stop_reason: string | null): JsonObject[] => [
  { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 20 } },
  { type: "message_stop" },
];

Deno.test("a call without any input delta has the input {}", () => {
  const { message, stop: why } = done(read([START, tool(0, "t1"), stop(0), ...end("tool_use")]).events);
  const call = message.content[0]!;
  assert.ok(call.type === "tool_use" && call.malformed === undefined);
  assert.deepEqual([call.input, call.wire_id, why], [{}, "t1", "tool_use"]);
});

Deno.test("broken arguments make a malformed call, never {}", () => {
  const { message } = done(
    read([START, tool(0, "t1"), json(0, '{"text":"abc'), stop(0), ...end("tool_use")]).events,
  );
  const call = message.content[0]!;
  assert.ok(call.type === "tool_use" && call.malformed);
  assert.equal(call.malformed.raw, '{"text":"abc');
  assert.match(call.malformed.error, /not valid JSON/);
});

Deno.test("a call that the output limit cut off is malformed, even before its first argument", () => {
  for (const args of ["", '{"a":']) {
    const { message, stop: why } = done(
      read([START, tool(0, "t1"), json(0, args), stop(0), ...end("max_tokens")]).events,
    );
    const call = message.content[0]!;
    assert.ok(call.type === "tool_use" && call.malformed, args);
    assert.match(call.malformed.error, /output limit/);
    assert.equal(why, "max_tokens");
  }
});

Deno.test("interleaved calls are put together by their index", () => {
  const events = [
    START,
    tool(0, "a"),
    tool(1, "b"),
    json(1, '{"n":'),
    json(0, '{"m":1}'),
    json(1, "2}"),
    ...end("tool_use"),
  ];
  const calls = done(read(events).events).message.content;
  assert.deepEqual(calls.map((call) => call.type === "tool_use" && call.input), [{ m: 1 }, { n: 2 }]);
});

Deno.test("unknown events, blocks and deltas are ignored and leave no gap", () => {
  const { events } = read([
    START,
    { type: "something_new", index: 9 },
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "server_tool_use", id: "s", name: "web", input: {} },
    },
    json(0, '{"q":1}'),
    stop(0),
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 1, delta: { type: "citations_delta", citation: {} } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "x" } },
    { type: "content_block_delta", index: 1, delta: { type: "never_seen" } },
    stop(1),
    ...end("end_turn"),
  ]);
  assert.deepEqual(done(events).message.content, [{ type: "text", text: "x" }]);
  assert.deepEqual(events.map((event) => "index" in event ? event.index : "-"), ["-", 0, 0, "-"]);
});

Deno.test("thinking keeps its signature and redacted thinking its data, byte for byte", () => {
  const { events } = read([
    START,
    {
      type: "content_block_start",
      index: 0,
      content_block: { type: "thinking", thinking: "", signature: "" },
    },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "Eq+/ab==" } },
    stop(0),
    { type: "content_block_start", index: 1, content_block: { type: "redacted_thinking", data: "xY+/=" } },
    stop(1),
    ...end("end_turn"),
  ]);
  assert.deepEqual(done(events).message.content, [
    { type: "thinking", text: "", signature: "Eq+/ab==" },
    { type: "redacted_thinking", data: "xY+/=" },
  ]);
});

Deno.test("usage in message_delta is cumulative and what it leaves out stays", () => {
  const { events } = read([
    START,
    { type: "message_delta", delta: {}, usage: { output_tokens: 5 } },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn" },
      usage: { output_tokens: 9, cache_creation_input_tokens: 2 },
    },
    { type: "message_stop" },
  ]);
  assert.deepEqual(done(events).usage, { input: 10, output: 9, cache_read: 4, cache_write: 2 });
});

Deno.test("each stop reason has its place", () => {
  const cases = {
    end_turn: "end_turn",
    pause_turn: "pause",
    refusal: "refusal",
    max_tokens: "max_tokens",
    model_context_window_exceeded: "max_tokens",
    stop_sequence: "stop_sequence",
    tool_use: "end_turn", // there is no call in the message
    something_new: "end_turn",
  };
  for (const [wire, ours] of Object.entries(cases)) {
    assert.equal(done(read([START, ...end(wire)]).events).stop, ours);
  }
  assert.equal(done(read([START, tool(0, "t"), stop(0), ...end("end_turn")]).events).stop, "tool_use");
});

Deno.test("without message_stop the answer is not complete, and what streamed is the partial message", () => {
  const { complete, builder } = read([
    START,
    tool(0, "t"),
    json(0, '{"a":1'),
    ...end("tool_use").slice(0, 1),
  ]);
  assert.equal(complete, false);
  const call = builder.partial()?.content[0];
  assert.ok(call?.type === "tool_use" && call.malformed);
  assert.equal(read([START]).builder.partial(), null);
});

Deno.test("a compatible server may leave out message_start, indexes and block starts", () => {
  const { events } = read([
    { type: "content_block_delta", delta: { type: "text_delta", text: "a" } },
    { type: "content_block_delta", delta: { type: "text_delta", text: "b" } },
    { type: "content_block_start", content_block: { type: "tool_use", name: "Read", input: { path: "x" } } },
    { type: "message_stop" },
  ]);
  assert.equal(events[0]?.type, "start");
  const content = done(events).message.content;
  assert.deepEqual(content[0], { type: "text", text: "ab" });
  const call = content[1]!;
  assert.ok(call.type === "tool_use");
  assert.deepEqual(call.input, { path: "x" });
  assert.match(call.wire_id, /^call_[0-9a-f]{32}$/);
});
