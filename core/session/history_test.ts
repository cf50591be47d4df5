import assert from "node:assert/strict";
import type { JsonObject, StoredEvent } from "../types/mod.ts";
import { getHistory, listHistory, SessionHistory, shortText } from "./history.ts";

const USAGE = { input: 1, output: 2, cache_read: 0, cache_write: 0 };

/** A history of events, numbered from 1. */
function folded(...events: [type: string, payload: JsonObject][]): SessionHistory {
  const history = new SessionHistory();
  for (const [at, [type, payload]] of events.entries()) {
    const stored: StoredEvent = {
      type,
      version: 1,
      payload,
      seq: at + 1,
      stream_id: "session",
      stream_seq: at + 1,
      ts: 1000 + at,
    };
    history.add(stored);
  }
  return history;
}

const prompt = (text: string): [string, JsonObject] => [
  "run.started",
  { prompt: text, context: "hidden", model: "m", mode: "ask", tools: [] },
];
const answer = (text: string): [string, JsonObject] => [
  "model.answered",
  {
    model: "m",
    message_id: "i",
    stop: "end_turn",
    message: { role: "assistant", content: [{ type: "text", text }] },
  },
];
const summary = (from: number, to: number, title: string, text = "s"): [string, JsonObject] => [
  "memory.summarised",
  { from, to, title, summary: text, tags: ["标签"], model: "m" },
];
const back = (to: number): [string, JsonObject] => [
  "session.rewound",
  { to, scope: "conversation", snapshot: null, changed: 0 },
];

Deno.test("a history holds what people see: prompts and answers, without context, tools and empty texts", () => {
  const history = folded(prompt("a"), answer(""), ["run.note_added", { text: "note" }], answer("b"));
  assert.deepEqual(history.messages, [{ seq: 1, role: "user", text: "a" }, {
    seq: 4,
    role: "assistant",
    text: "b",
  }]);
});

Deno.test("a rewind takes messages out of the conversation; a summary made before keeps those it covers", () => {
  const history = folded(
    prompt("a"),
    answer("b"),
    prompt("c"),
    answer("d"),
    summary(1, 4, "all"),
    back(3),
    prompt("e"),
    answer("f"),
    back(7),
    answer("g"),
    summary(1, 10, "later"),
  );
  assert.deepEqual(history.messages.map(({ text }) => text), ["a", "b", "g"]);
  assert.deepEqual(history.messagesOf(1).map(({ text }) => text), ["a", "b", "c", "d"]);
  assert.deepEqual(history.messagesOf(2).map(({ text }) => text), ["a", "b", "g"]);
});

Deno.test("listHistory() gives the newest first, bounded, with previews; the query is literal and knows CJK and widths", () => {
  const history = folded(
    summary(0, 0, "解析器的修复", "x".repeat(500)),
    summary(0, 0, "100 % done_now", "Other"),
    ["usage.recorded", { model: "m", chain: "session_memory", usage: USAGE, cost_usd: 0.5, duration_ms: 1 }],
    ["usage.recorded", { model: "m", usage: USAGE, cost_usd: null, duration_ms: 1 }],
  );
  const titles = (query: string) => listHistory(history, { query }).entries.map(({ number }) => number);
  assert.deepEqual(titles(""), [2, 1]);
  assert.deepEqual([
    titles("析器"),
    titles("標"),
    titles("标签"),
    titles("ＯＴＨＥＲ"),
    titles("%"),
    titles("100%"),
  ], [
    [1],
    [],
    [2, 1],
    [2],
    [2],
    [],
  ]);
  assert.equal(listHistory(history, { limit: 1 }).entries.length, 1);
  assert.equal(listHistory(history, { limit: 1 }).total, 2);
  assert.equal(listHistory(history).entries[1]?.preview.length, 300);
  assert.deepEqual(history.spent, { usage: USAGE, cost_usd: 0.5 });
  const many = folded(...Array.from({ length: 150 }, (_, at) => summary(0, 0, `${at}`)));
  assert.deepEqual([listHistory(many).entries.length, listHistory(many, { limit: 9_999 }).entries.length], [
    20,
    100,
  ]);
});

Deno.test("getHistory() gives the first and last of many messages and counts the rest; a wrong number says which there are", () => {
  const history = folded(
    ...Array.from({ length: 25 }, (_, at) => prompt(`p${at + 1}`)),
    summary(1, 25, "t", "whole"),
  );
  const { summary: text, messages, omitted } = getHistory(history, 1);
  assert.deepEqual([text, messages.length, omitted], ["whole", 20, 5]);
  assert.deepEqual([messages[9]?.seq, messages[10]?.seq, messages[19]?.seq], [10, 16, 25]);
  assert.throws(() => getHistory(history, 2), /There is no summary 2: they are numbered from 1 to 1/);
  assert.throws(() => getHistory(folded(), 1), /no summaries yet/);
});

Deno.test("shortText() never cuts a character in two", () => {
  assert.equal(shortText("ab𠮷", 4), "ab𠮷");
  assert.equal(shortText("ab𠮷c", 4), "ab…");
});
