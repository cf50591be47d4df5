import assert from "node:assert/strict";
import type { JsonObject } from "../types/mod.ts";
import { AnthropicStream } from "./anthropic_stream.ts";
import { cleanEvents } from "./clean_events.ts";
import type { Wire } from "./endpoint.ts";
import { MessageBuilder } from "./message_builder.ts";
import { ModelError } from "./model_error.ts";
import { OpenaiStream } from "./openai_stream.ts";
import type { ModelEvent } from "./port.ts";
import { readProviderError } from "./provider_error.ts";
import { anthropicSse, openaiSse, quickWorld } from "./test_server.ts";

function bodyOf(pieces: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

const bytes = (text: string) => new TextEncoder().encode(text);
const QUIET = {
  waiting() {},
  data() {},
  failure: (_event: string | null, value: JsonObject) => {
    const found = readProviderError(value);
    return found && new ModelError(found.message, { category: "server_error" });
  },
};

async function clean(
  pieces: Uint8Array[],
  wire: Wire = "openai_compatible",
  cap?: number,
): Promise<string[]> {
  const events: string[] = [];
  for await (const event of cleanEvents(bodyOf(pieces), wire, QUIET, cap)) events.push(event.json);
  return events;
}

/** The whole way from bytes to model events. */
async function read(pieces: Uint8Array[], wire: Wire): Promise<ModelEvent[]> {
  const builder = new MessageBuilder(quickWorld(), "m");
  const anthropic = new AnthropicStream(builder);
  const openai = new OpenaiStream(builder);
  for await (const event of cleanEvents(bodyOf(pieces), wire, QUIET)) {
    const value = JSON.parse(event.json) as JsonObject;
    if (wire === "anthropic") anthropic.push(value);
    else openai.push(value);
  }
  if (wire === "openai_compatible") openai.finish();
  return builder.take();
}

const ANTHROPIC = anthropicSse([
  { type: "message_start", message: { id: "m", usage: { input_tokens: 3 } } },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "嗯" } },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "s+/=" } },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "你好😀\u2028é" } },
  { type: "content_block_stop", index: 1 },
  {
    type: "content_block_start",
    index: 2,
    content_block: { type: "tool_use", id: "toolu_1", name: "Read", input: {} },
  },
  {
    type: "content_block_delta",
    index: 2,
    delta: { type: "input_json_delta", partial_json: '{"path":"a\\n' },
  },
  { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '.txt"}' } },
  { type: "content_block_stop", index: 2 },
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
]);

const OPENAI = openaiSse([
  { id: "c", choices: [{ index: 0, delta: { reasoning_content: "嗯" } }] },
  { id: "c", choices: [{ index: 0, delta: { content: "你好😀\u2028é" } }] },
  {
    id: "c",
    choices: [{
      index: 0,
      delta: { tool_calls: [{ index: 0, id: "a", function: { name: "Read", arguments: "" } }] },
    }],
  },
  {
    id: "c",
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"path":"a\\n' } }] } }],
  },
  {
    id: "c",
    choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '.txt"}' } }] } }],
  },
  { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  { id: "c", choices: [], usage: { prompt_tokens: 3, completion_tokens: 9 } },
]);

for (const [wire, text] of [["anthropic", ANTHROPIC], ["openai_compatible", OPENAI]] as const) {
  for (const [name, end] of [["LF", "\n"], ["CRLF", "\r\n"], ["CR", "\r"]] as const) {
    Deno.test(`${wire} with ${name} gives identical events for a cut at every byte`, async () => {
      const whole = bytes("\ufeff: hello\n".replace("\n", end) + text.replaceAll("\n", end));
      const expected = await read([bytes(text)], wire);
      assert.equal(expected.at(-1)?.type, "done");
      assert.deepEqual(await read([...whole].map((byte) => Uint8Array.of(byte)), wire), expected);
      for (let at = 0; at <= whole.length; at++) {
        const events = await read([whole.subarray(0, at), whole.subarray(at)], wire);
        assert.deepEqual(events, expected, `cut at ${at}`);
      }
    });
  }
}

Deno.test("data without a space, several data lines, comments and fields without a colon are all read", async () => {
  const text = ':c\ndata:{"a":\ndata: 1}\nid: 7\nretry\n\n\n\ndata\n\ndata: {"b":2}\n\n';
  assert.deepEqual(await clean([bytes(text)]), ['{"a":1}', '{"b":2}']);
});

Deno.test("a last frame without its blank line counts, and one that was cut off does not", async () => {
  assert.deepEqual(await clean([bytes('data: {"a":1}\n\ndata: {"b":2}')]), ['{"a":1}', '{"b":2}']);
  assert.deepEqual(await clean([bytes('data: {"a":1}\n\ndata: {"b":')]), ['{"a":1}']);
});

Deno.test("[DONE] ends the OpenAI wire and means nothing on the other", async () => {
  const text = bytes('data: {"a":1}\n\ndata: [DONE]\n\ndata: [DONE]\n\ndata: {"b":2}\n\n');
  assert.deepEqual(await clean([text]), ['{"a":1}']);
  assert.deepEqual(await clean([text], "anthropic"), ['{"a":1}', '{"b":2}']);
});

Deno.test("an Anthropic frame without an event line gets its type from the JSON", async () => {
  const types: string[] = [];
  const body = bodyOf([bytes('data: {"type":"message_stop"}\n\nevent: x\ndata: {}\n\n')]);
  for await (const event of cleanEvents(body, "anthropic", QUIET)) types.push(event.type);
  assert.deepEqual(types, ["message_stop", "x"]);
});

Deno.test("a JSON error is found over one line, over several, and as NDJSON", async () => {
  for (
    const text of [
      '{"error":{"message":"x"}}',
      '{\n  "error": {\n    "message": "x"\n  }\n}\n',
      '{"a":1}\n{"error":"x"}\n',
    ]
  ) {
    await assert.rejects(clean([bytes(text)]), { message: "x" }, text);
  }
});

Deno.test("lines over the cap, broken JSON and pages are protocol errors", async () => {
  const big = bytes(`data: {"a":"${"x".repeat(2_000)}"}\n\n`);
  await assert.rejects(clean([big], "anthropic", 1_000), { category: "protocol" });
  await assert.rejects(clean([big.subarray(0, 900), big.subarray(900, 1_800)], "anthropic", 1_000), {
    category: "protocol",
  });
  await assert.rejects(clean([bytes(`${'data: "x\n'.repeat(300)}\n`)], "anthropic", 1_000), {
    category: "protocol",
  });
  await assert.rejects(clean([bytes('data: {"a"\n\ndata: {}\n\n')]), { category: "protocol" });
  await assert.rejects(clean([bytes("data: 1\n\n")]), { category: "protocol" });
  await assert.rejects(clean([bytes("\n<!doctype html>")]), { category: "protocol" });
});

Deno.test("the body is cancelled when the reader stops", async () => {
  const cancelled = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes('data: {"a":1}\n\n')),
    cancel: () => cancelled.resolve(),
  });
  for await (const _ of cleanEvents(body, "anthropic", QUIET)) break;
  await cancelled.promise;
});
