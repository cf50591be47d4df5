import assert from "node:assert/strict";
import type { Json, Message } from "../../../types/mod.ts";
import { legacyMessage } from "./legacy_message.ts";
import { pairMessages } from "./pair_messages.ts";
import { salvageMessages } from "./salvage_messages.ts";

/** Old messages as the conversation they become, call ids as `c1`, `c2`, …, and what was told. */
function converted(...old: Json[]): { messages: Message[]; told: string[] } {
  const told: string[] = [];
  let ids = 0;
  const messages = pairMessages(
    old.flatMap((value) => legacyMessage(value, (what) => told.push(what)) ?? []),
    () => `c${++ids}`,
    (what) => told.push(what),
  );
  return { messages, told };
}

const text = (text: string) => ({ type: "text", text });
const END = { role: "assistant", content: [text("[The old session ended here.]")] };

Deno.test("both providers' forms of a call become the same conversation", () => {
  const anthropic = converted(
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "bash", input: { a: 1 } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: [text("x"), text("y")] }] },
    { role: "assistant", content: [text("done")] },
  );
  const openai = converted(
    { role: "user", content: "go" },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "t1", type: "function", function: { name: "bash", arguments: '{"a":1}' } }],
    },
    { role: "tool", tool_call_id: "t1", content: "x\ny" },
    { role: "assistant", content: "done" },
  );
  assert.deepEqual(openai, anthropic);
  assert.deepEqual(anthropic, {
    told: [],
    messages: [
      { role: "user", content: [text("go")] },
      {
        role: "assistant",
        content: [{ type: "tool_use", call_id: "c1", wire_id: "t1", name: "bash", input: { a: 1 } }],
      },
      { role: "user", content: [{ type: "tool_result", call_id: "c1", content: "x\ny", is_error: false }] },
      { role: "assistant", content: [text("done")] },
    ],
  });
});

Deno.test("fields are found under the names that Go gives them, and inside a wrapper", () => {
  const { messages } = converted(
    { type: "user", timestamp: "2024", message: { role: "user", content: "go" } },
    { Role: "assistant", Content: "", ToolCalls: [{ ID: "t1", Function: { Name: "ls", Arguments: "{}" } }] },
    { Role: "tool", ToolCallID: "t1", Content: "a" },
  );
  assert.deepEqual(messages.map(({ role, content }) => [role, content[0]?.type]), [
    ["user", "text"],
    ["assistant", "tool_use"],
    ["user", "tool_result"],
    ["assistant", "text"],
  ]);
});

Deno.test("parallel calls get their results in the order of the calls; a missing one is made, a stray one is kept as text", () => {
  const call = (id: string) => ({ type: "tool_use", id, name: "bash", input: {} });
  const { messages, told } = converted(
    { role: "user", content: "go" },
    { role: "assistant", content: [call("a"), call("b"), call("a")] },
    { role: "tool", tool_call_id: "b", content: "B" },
    { role: "tool", tool_call_id: "a", content: "A" },
    { role: "tool", tool_call_id: "z", content: "Z" },
  );
  const results = messages[2]?.content.map((block) =>
    block.type === "tool_result" ? block.content : block.type
  );
  assert.deepEqual(results, [
    "A",
    "B",
    "The old session has no result of this call: its outcome is not known.",
  ]);
  assert.deepEqual(messages.slice(3), [
    { role: "user", content: [text("[A result of a tool call that was not kept]\nZ")] },
    END,
  ]);
  assert.deepEqual(told, [
    "The result z has no call; it was kept as text",
    "The call a had no result; one that says so was added",
  ]);
});

Deno.test("what no provider would take is mended: an answer first, empty messages, illegal names, arguments that are no JSON", () => {
  const { messages, told } = converted(
    { role: "assistant", content: "first" },
    { role: "user", content: " " },
    { role: "user", content: [{ type: "image", source: {} }, text("see")] },
    {
      role: "assistant",
      tool_calls: [
        { id: "1", function: { name: "two words", arguments: "{}" } },
        { id: "2", function: { name: "bash", arguments: "{broken" } },
      ],
    },
    { role: "system", content: "be kind" },
    { role: "wizard", content: "?" },
    7,
  );
  assert.equal(messages[0]?.role, "user");
  assert.deepEqual(messages[2]?.content, [text("see")]);
  const [named, broken] = messages[3]?.content ?? [];
  assert.deepEqual(named, text('[A call of the tool "two words"]'));
  assert.deepEqual(broken?.type === "tool_use" && broken.malformed?.raw, "{broken");
  assert.deepEqual(messages.at(-1), END);
  assert.equal(told.length, 7);
});

Deno.test("salvageMessages() gives the whole objects before a break, whatever stands in their strings", () => {
  const list = [{ a: '}]"\\' }, { b: [{ c: 1 }] }, { d: "…" }];
  const whole = `{"generation":1,"state":{"messages":${JSON.stringify(list)},"more":1}}`;
  assert.deepEqual(salvageMessages(whole), list);
  for (let length = 0; length <= whole.length; length++) {
    const found = salvageMessages(whole.slice(0, length));
    assert.deepEqual(found, list.slice(0, found.length));
  }
  assert.deepEqual(salvageMessages('{"other":[{}]}'), []);
});
