import assert from "node:assert/strict";
import type { Message, ToolResultBlock, ToolUseBlock } from "../types/mod.ts";
import { INTERRUPTED, pairHistory } from "./history.ts";

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const user = (...content: (string | ToolResultBlock)[]): Message => ({
  role: "user",
  content: content.map((item) => typeof item === "string" ? { type: "text", text: item } : item),
});
const answer = (...content: ToolUseBlock[]): Message => ({ role: "assistant", content });
const use = (n: number, wire_id = `w${n}`): ToolUseBlock => ({
  type: "tool_use",
  call_id: uuid(n),
  wire_id,
  name: "Read",
  input: {},
});
const result = (n: number, content = `r${n}`): ToolResultBlock => ({
  type: "tool_result",
  call_id: uuid(n),
  content,
  is_error: false,
});

Deno.test("every call has one result in the next user message, an interrupted one where it is missing", () => {
  const paired = pairHistory([user("go"), answer(use(1), use(2)), user(result(2), "and")]);
  assert.equal(paired.length, 3);
  const last = paired[2]!;
  assert.ok(last.role === "user");
  assert.deepEqual(last.results.map((item) => [item.wire_id, item.content, item.is_error]), [
    ["w1", INTERRUPTED, true],
    ["w2", "r2", false],
  ]);
  assert.deepEqual(last.texts, ["and"]);
});

Deno.test("an answer with calls at the end or before another answer gets a user message", () => {
  const paired = pairHistory([answer(use(1)), answer(use(2))]);
  assert.deepEqual(paired.map((message) => message.role), ["assistant", "user", "assistant", "user"]);
});

Deno.test("a result without its call is dropped, a second result too, and blank texts", () => {
  const paired = pairHistory([
    user(result(9), "a"),
    answer(use(1)),
    user(result(1, "first"), " "),
    user(result(1, "again")),
  ]);
  assert.deepEqual(
    paired.map((message) => message.role === "user" ? [message.results.length, message.texts] : "answer"),
    [
      [0, ["a"]],
      "answer",
      [1, []],
    ],
  );
});

Deno.test("results that came in several messages stand together after their calls", () => {
  const paired = pairHistory([answer(use(1), use(2)), user(result(1)), user(result(2), "more")]);
  const [, first, second] = paired;
  assert.ok(first?.role === "user" && second?.role === "user");
  assert.deepEqual([first.results.length, second.results.length, second.texts], [2, 0, ["more"]]);
});

Deno.test("wire ids are reused when legal and new, else made from ours, and results follow them", () => {
  const long = "x".repeat(41);
  const paired = pairHistory([
    answer(use(1, "toolu_1")),
    user(result(1)),
    answer(use(2, "toolu_1"), use(3, "functions.Read:0"), use(4, long), use(5, "")),
    user(result(2), result(3), result(4), result(5)),
  ]);
  const ids = paired.flatMap((message) =>
    message.role === "user" ? message.results.map((item) => item.wire_id) : []
  );
  const own = (n: number) => `call_${uuid(n).replaceAll("-", "")}`;
  assert.deepEqual(ids, ["toolu_1", own(2), own(3), own(4), own(5)]);
  assert.ok(ids.every((id) => /^[A-Za-z0-9_-]{1,40}$/.test(id)));
});
