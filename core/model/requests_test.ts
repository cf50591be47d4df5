import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject, Message } from "../types/mod.ts";
import { anthropicRequest } from "./anthropic_request.ts";
import { openaiRequest } from "./openai_request.ts";
import type { ModelRequest } from "./port.ts";

const TRAITS = {
  adaptive_thinking: false,
  replay_reasoning: false,
  max_effort: "high" as const,
  accepts: { images: false, pdf: false },
};
const LIMITS = { max_output_tokens: undefined, official: false };
const TOOLS = [
  { name: "Grep", description: "finds", input_schema: { type: "object" } },
  { name: "Read", description: "reads", input_schema: { type: "object" } },
];
const request = (messages: Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "You are Lumina.",
  messages,
  tools: TOOLS,
  ...more,
});
const anthropic = (
  messages: Message[],
  more: Partial<ModelRequest> = {},
  model = "claude-x",
  traits = TRAITS,
) => anthropicRequest(request(messages, more), model, 8_000, traits);
const openai = (
  messages: Message[],
  more: Partial<ModelRequest> = {},
  traits: Parameters<typeof openaiRequest>[3] = TRAITS,
) => openaiRequest(request(messages, more), "gpt-x", LIMITS, traits);
const sent = (body: JsonObject) => body["messages"] as JsonObject[];

const HISTORY: Message[] = [
  { role: "user", content: [{ type: "text", text: "read a" }] },
  {
    role: "assistant",
    content: [
      { type: "thinking", text: "unsigned" },
      { type: "thinking", text: "signed", signature: "S+/=" },
      { type: "redacted_thinking", data: "D+/=" },
      { type: "text", text: "I read." },
      { type: "tool_use", call_id: "c-1", wire_id: "t1", name: "Read", input: { path: "a" } },
      {
        type: "tool_use",
        call_id: "c-2",
        wire_id: "t2",
        name: "Read",
        input: {},
        malformed: { raw: '{"pa', error: "the arguments are not valid JSON" },
      },
    ],
  },
  {
    role: "user",
    content: [
      { type: "tool_result", call_id: "c-1", content: "text of a", is_error: false },
      { type: "tool_result", call_id: "c-2", content: "the arguments are not valid JSON", is_error: true },
    ],
  },
];

Deno.test("the Anthropic body has the markers, the limit and the history as the wire wants them", () => {
  const body = anthropic(HISTORY);
  assert.equal(body["max_tokens"], 8_000);
  assert.equal(body["stream"], true);
  assert.deepEqual(body["system"], [{
    type: "text",
    text: "You are Lumina.",
    cache_control: { type: "ephemeral" },
  }]);
  const tools = body["tools"] as JsonObject[];
  assert.deepEqual(tools.map((tool) => tool["cache_control"]), [undefined, { type: "ephemeral" }]);
  assert.deepEqual(body["cache_control"], { type: "ephemeral" });
  assert.equal(anthropic(HISTORY, {}, "deepseek-chat")["cache_control"], undefined);
  assert.deepEqual(sent(body)[1]?.["content"], [
    { type: "thinking", thinking: "signed", signature: "S+/=" },
    { type: "redacted_thinking", data: "D+/=" },
    { type: "text", text: "I read." },
    { type: "tool_use", id: "t1", name: "Read", input: { path: "a" } },
    { type: "tool_use", id: "t2", name: "Read", input: {} },
  ]);
  assert.deepEqual(sent(body)[2]?.["content"], [
    { type: "tool_result", tool_use_id: "t1", content: "text of a" },
    { type: "tool_result", tool_use_id: "t2", content: "the arguments are not valid JSON", is_error: true },
  ]);
});

Deno.test("the OpenAI body has function tools, one message for each result, and says which failed", () => {
  const body = openai(HISTORY);
  assert.deepEqual(body["stream_options"], { include_usage: true });
  assert.equal(body["max_tokens"], undefined);
  assert.deepEqual(sent(body).slice(2), [
    {
      role: "assistant",
      content: "I read.",
      tool_calls: [
        { id: "t1", type: "function", function: { name: "Read", arguments: '{"path":"a"}' } },
        { id: "t2", type: "function", function: { name: "Read", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "t1", content: "text of a" },
    { role: "tool", tool_call_id: "t2", content: "[ERROR] the arguments are not valid JSON" },
  ]);
});

Deno.test("reasoning goes back only to the models that want it, with their own calls", () => {
  assert.equal(sent(openai(HISTORY))[2]?.["reasoning_content"], undefined);
  assert.equal(
    sent(openai(HISTORY, {}, { ...TRAITS, replay_reasoning: true }))[2]?.["reasoning_content"],
    "unsigned",
  );
});

Deno.test("an answer that has nothing to send is left out", () => {
  const silent: Message = {
    role: "assistant",
    content: [{ type: "thinking", text: "…" }, { type: "text", text: " " }],
  };
  assert.equal(sent(anthropic([...HISTORY, silent])).length, 3);
  assert.equal(sent(openai([...HISTORY, silent])).length, 5);
});

Deno.test("an effort is sent only when it is set, under each wire's name", () => {
  assert.equal(anthropic(HISTORY)["output_config"], undefined);
  assert.equal(openai(HISTORY)["reasoning_effort"], undefined);
  assert.deepEqual(anthropic(HISTORY, { effort: "max" })["output_config"], { effort: "max" });
  const adaptive = anthropic(HISTORY, { effort: "low" }, "claude-x", { ...TRAITS, adaptive_thinking: true });
  assert.deepEqual(adaptive["thinking"], { type: "adaptive" });
  assert.equal(openai(HISTORY, { effort: "max" })["reasoning_effort"], "high");
  assert.equal(
    openai(HISTORY, { effort: "max" }, { ...TRAITS, max_effort: "xhigh" })["reasoning_effort"],
    "xhigh",
  );
  assert.equal(openai(HISTORY, { effort: "low" })["reasoning_effort"], "low");
});

Deno.test("an output limit goes out under the name its endpoint knows", () => {
  const body = (official: boolean) =>
    openaiRequest(request(HISTORY), "gpt-x", { max_output_tokens: 9, official }, TRAITS);
  assert.equal(body(true)["max_completion_tokens"], 9);
  assert.equal(body(false)["max_tokens"], 9);
});

Deno.test("lone surrogates never leave, in text, input, keys or schemas", () => {
  const broken: Message[] = [
    { role: "user", content: [{ type: "text", text: "a\ud800" }] },
    {
      role: "assistant",
      content: [{
        type: "tool_use",
        call_id: "c",
        wire_id: "t",
        name: "Read",
        input: { "k\udc00": ["\ud800"] },
      }],
    },
    { role: "user", content: [{ type: "tool_result", call_id: "c", content: "\udfff", is_error: false }] },
  ];
  const tools = [{ name: "T", description: "\ud800", input_schema: { title: "\udc00" } }];
  for (const body of [anthropic(broken, { tools }), openai(broken, { tools })]) {
    assert.doesNotMatch(JSON.stringify(body), /\\u(?:d[89a-f])/i);
  }
});

Deno.test("the messages of a request are a byte prefix of the next one's", () => {
  const text = fc.string({ unit: "binary", maxLength: 12 });
  const round = fc.record({
    texts: fc.array(text, { maxLength: 2 }),
    signed: fc.boolean(),
    calls: fc.array(
      fc.record({ wire_id: fc.constantFrom("t", "u", "", "bad id"), input: text, malformed: fc.boolean() }),
      {
        maxLength: 3,
      },
    ),
    steer: fc.option(text),
  });
  fc.assert(
    fc.property(fc.array(round, { maxLength: 6 }), (rounds) => {
      const messages: Message[] = [{ role: "user", content: [{ type: "text", text: "start" }] }];
      const bodies = [[JSON.stringify(sent(anthropic(messages))), JSON.stringify(sent(openai(messages)))]];
      let ids = 0;
      for (const { texts, signed, calls, steer } of rounds) {
        const uses = calls.map((item) => ({
          type: "tool_use" as const,
          call_id: `c-${++ids}`,
          wire_id: item.wire_id,
          name: "Read",
          input: { text: item.input },
          ...(item.malformed ? { malformed: { raw: "{", error: "broken" } } : {}),
        }));
        const thinking = { type: "thinking" as const, text: "…", ...(signed ? { signature: "s" } : {}) };
        messages.push({
          role: "assistant",
          content: [thinking, ...texts.map((words) => ({ type: "text" as const, text: words })), ...uses],
        });
        const results = uses.map((item) => ({
          type: "tool_result" as const,
          call_id: item.call_id,
          content: item.wire_id,
          is_error: signed,
        }));
        messages.push({ role: "user", content: [...results, { type: "text", text: steer ?? "go on" }] });
        bodies.push([JSON.stringify(sent(anthropic(messages))), JSON.stringify(sent(openai(messages)))]);
      }
      for (let at = 1; at < bodies.length; at++) {
        for (const wire of [0, 1]) {
          const before = bodies[at - 1]![wire]!.slice(0, -1);
          assert.ok(bodies[at]![wire]!.startsWith(before), `request ${at}`);
        }
      }
    }),
    { numRuns: 200 },
  );
});

const SHOWN: Message[] = [
  {
    role: "user",
    content: [{ type: "text", text: "what is this?" }, {
      type: "image",
      media_type: "image/png",
      data: "AAAA",
      name: "a.png",
    }],
  },
  {
    role: "assistant",
    content: [{ type: "tool_use", call_id: "c-1", wire_id: "t1", name: "Read", input: { path: "b.pdf" } }],
  },
  {
    role: "user",
    content: [{
      type: "tool_result",
      call_id: "c-1",
      content: "b.pdf, 1 page",
      is_error: false,
      media: [{ type: "document", media_type: "application/pdf", data: "BBBB", name: "b.pdf" }],
    }],
  },
];
const SEES = { ...TRAITS, accepts: { images: true, pdf: true } };

Deno.test("Anthropic's wire shows images and documents where they came: beside the words, in the result", () => {
  const [asked, , result] = sent(anthropic(SHOWN, {}, "claude-x", SEES));
  assert.deepEqual(asked!["content"], [
    { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
    { type: "text", text: "what is this?" },
  ]);
  assert.deepEqual((result!["content"] as JsonObject[])[0]!["content"], [
    { type: "text", text: "b.pdf, 1 page" },
    {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: "BBBB" },
      title: "b.pdf",
    },
  ]);
});

Deno.test("the OpenAI wire shows what a result shows in a user's message behind it", () => {
  const messages = sent(openai(SHOWN, {}, SEES)).slice(1);
  assert.deepEqual(messages[0]!["content"], [
    { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    { type: "text", text: "what is this?" },
  ]);
  assert.deepEqual(messages[2], { role: "tool", tool_call_id: "t1", content: "b.pdf, 1 page" });
  assert.deepEqual(messages[3], {
    role: "user",
    content: [
      { type: "text", text: "What the call t1 shows:" },
      { type: "file", file: { filename: "b.pdf", file_data: "data:application/pdf;base64,BBBB" } },
    ],
  });
});

Deno.test("a model that takes no media is told in words what it is not shown and how to go on", () => {
  for (const body of [anthropic(SHOWN), openai(SHOWN)]) {
    const text = JSON.stringify(sent(body));
    assert.match(text, /\[image a\.png, image\/png, 1 kB\] is not shown: this model takes no images/);
    assert.match(text, /\[document b\.pdf, application\/pdf, 1 kB\] is not shown: this model takes no PDF/);
    assert.doesNotMatch(text, /AAAA|BBBB/);
  }
});
