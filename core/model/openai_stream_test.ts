import assert from "node:assert/strict";
import type { JsonObject, ToolUseBlock } from "../types/mod.ts";
import { MessageBuilder } from "./message_builder.ts";
import { OpenaiStream } from "./openai_stream.ts";
import { done, quickWorld } from "./test_server.ts";

function read(chunks: JsonObject[]) {
  const builder = new MessageBuilder(quickWorld(), "m");
  const stream = new OpenaiStream(builder);
  for (const chunk of chunks) stream.push(chunk);
  const { complete, broken } = stream;
  stream.finish();
  return { complete, broken, done: done(builder.take()) };
}

/** Reads fragments of tool calls and gives the calls. */
function calls(fragments: JsonObject[], finish = "tool_calls"): ToolUseBlock[] {
  const chunks = fragments.map((fragment): JsonObject => ({
    choices: [{ delta: { tool_calls: [fragment] } }],
  }));
  const { content } = read([...chunks, { choices: [{ delta: {}, finish_reason: finish }] }]).done.message;
  return content.filter((block) => block.type === "tool_use");
}

const short = (found: ToolUseBlock[]) =>
  found.map((call) => [call.wire_id, call.name, call.malformed?.raw ?? call.input]);
const call = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  args?: string | null,
): JsonObject => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
});

Deno.test("two calls under one index are two calls when their ids differ", () => {
  assert.deepEqual(short(calls([call(0, "a", "Read", '{"p":1}'), call(0, "b", "Grep", '{"q":2}')])), [
    ["a", "Read", { p: 1 }],
    ["b", "Grep", { q: 2 }],
  ]);
});

Deno.test("fragments interleave by index, with an id on the first one only, and indexes may be sparse", () => {
  const found = calls([
    call(0, "a", "Read", ""),
    call(5, "b", "Grep", '{"q"'),
    call(0, undefined, undefined, '{"p"'),
    call(5, undefined, undefined, ":2}"),
    call(0, undefined, undefined, ":1}"),
  ]);
  assert.deepEqual(short(found), [["a", "Read", { p: 1 }], ["b", "Grep", { q: 2 }]]);
});

Deno.test("without an index an id opens a call and its absence continues the last one", () => {
  const found = calls([
    call(undefined, "a", "Read", '{"p"'),
    call(undefined, undefined, undefined, ":1}"),
    call(undefined, "b", "Grep", "{"),
    call(undefined, "b", undefined, '"q":2}'),
  ]);
  assert.deepEqual(short(found), [["a", "Read", { p: 1 }], ["b", "Grep", { q: 2 }]]);
});

Deno.test("a stream that has an index now and then keeps its calls apart", () => {
  const found = calls([
    call(0, "a", "Read", '{"p":'),
    call(undefined, undefined, undefined, "1}"),
    call(1, "b", "Grep", '{"q":'),
    call(undefined, undefined, undefined, "2}"),
  ]);
  assert.deepEqual(short(found), [["a", "Read", { p: 1 }], ["b", "Grep", { q: 2 }]]);
});

Deno.test("a server that repeats id and name with every fragment makes one call", () => {
  const found = calls([call(0, "a", "Read", '{"p"'), call(0, "a", "Read", ":1"), call(0, "a", "Read", "}")]);
  assert.deepEqual(short(found), [["a", "Read", { p: 1 }]]);
});

Deno.test("one id for two calls under different indexes makes two calls", () => {
  const found = calls([call(0, "a", "Read", '{"p":1}'), call(1, "a", "Read", '{"p":2}')]);
  assert.deepEqual(found.map((block) => block.input), [{ p: 1 }, { p: 2 }]);
  assert.notEqual(found[0]!.call_id, found[1]!.call_id);
});

Deno.test("two complete documents are never joined, with no ids at all", () => {
  const found = calls([call(0, undefined, "Read", '{"p":1}'), call(0, undefined, "Read", '{"p":2}')]);
  assert.deepEqual(found.map((block) => block.input), [{ p: 1 }, { p: 2 }]);
  const tail = calls([call(0, "a", "Read", '{"p":1}'), call(0, undefined, undefined, '{"p":2}')]);
  assert.equal(tail.length, 1);
  assert.ok(tail[0]!.malformed);
});

Deno.test("empty, blank, null and absent arguments mean {}", () => {
  for (const args of ["", " \n", "null", null, undefined]) {
    const [found] = calls([call(0, "a", "Now", args)]);
    assert.deepEqual([found?.input, found?.malformed], [{}, undefined], String(args));
  }
});

Deno.test("anything else that is not an object is malformed", () => {
  for (const args of ['{"text":"abc', "[1]", '"{}"', "7", "{}{}", "{'a':1}"]) {
    const [found] = calls([call(0, "a", "Write", args)]);
    assert.equal(found?.malformed?.raw, args);
    assert.deepEqual(found?.input, {});
  }
});

Deno.test("arguments that are an object already, and a name that comes late, are read", () => {
  const object: JsonObject = { index: 0, id: "a", function: { name: "Read", arguments: { p: 1 } } };
  assert.deepEqual(short(calls([object])), [["a", "Read", { p: 1 }]]);
  const late = calls([call(0, "a", undefined, '{"p"'), call(0, undefined, "Read", ":1}")]);
  assert.deepEqual(short(late), [["a", "Read", { p: 1 }]]);
});

Deno.test("a call without a name never runs, and one without an id gets one", () => {
  const [unnamed] = calls([call(0, "a", undefined, "{}")]);
  assert.ok(unnamed?.malformed);
  const [found] = calls([call(0, undefined, "Read", "{}")]);
  assert.match(found!.wire_id, /^call_[0-9a-f]{32}$/);
});

Deno.test("finish_reason stop with calls is tool_use; length cuts off the last call", () => {
  const chunks: JsonObject[] = [
    { choices: [{ delta: { tool_calls: [call(0, "a", "Read", "{}")] } }] },
    { choices: [{ delta: {}, finish_reason: "stop" }] },
  ];
  assert.equal(read(chunks).done.stop, "tool_use");
  const [whole, cut] = calls([call(0, "a", "Read", "{}"), call(1, "b", "Write", "")], "length");
  assert.equal(whole?.malformed, undefined);
  assert.match(cut!.malformed!.error, /output limit/);
});

Deno.test("reasoning becomes thinking under both names, and text follows in a block of its own", () => {
  for (const key of ["reasoning_content", "reasoning"]) {
    const { message } = read([
      { choices: [{ delta: { [key]: "a" } }] },
      { choices: [{ delta: { [key]: "b", content: "" } }] },
      { choices: [{ delta: { content: "c" } }] },
      { choices: [{ delta: { content: null }, finish_reason: "stop" }] },
    ]).done;
    assert.deepEqual(message.content, [{ type: "thinking", text: "ab" }, { type: "text", text: "c" }]);
  }
});

Deno.test("usage comes with empty choices, in a choice, or with cached tokens", () => {
  const finish: JsonObject = { choices: [{ delta: {}, finish_reason: "stop" }] };
  const usage = { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 6 } };
  assert.deepEqual(read([finish, { choices: [], usage }]).done.usage, {
    input: 4,
    output: 2,
    cache_read: 6,
    cache_write: 0,
  });
  const inside: JsonObject = {
    choices: [{ delta: {}, finish_reason: "stop", usage: { prompt_tokens: 3, completion_tokens: 1 } }],
  };
  assert.equal(read([inside]).done.usage.input, 3);
  const deepseek = { prompt_tokens: 10, completion_tokens: 2, prompt_cache_hit_tokens: 7 };
  assert.equal(read([finish, { choices: [], usage: deepseek }]).done.usage.cache_read, 7);
});

Deno.test("an answer without finish_reason is not complete, and a broken finish is told", () => {
  assert.equal(read([{ choices: [{ delta: { content: "x" } }] }]).complete, false);
  const cut = read([{ choices: [{ delta: {}, finish_reason: "insufficient_system_resource" }] }]);
  assert.equal(cut.broken, "overloaded");
});

Deno.test("a server that does not stream is understood", () => {
  const tool_calls = [{ id: "a", type: "function", function: { name: "Read", arguments: "{}" } }];
  const { done: whole } = read([{
    choices: [{ message: { content: "x", tool_calls }, finish_reason: "tool_calls" }],
  }]);
  assert.deepEqual(whole.message.content.map((block) => block.type), ["text", "tool_use"]);
});
