import assert from "node:assert/strict";
import { systemWorld } from "../base/mod.ts";
import { ModelError } from "../model/mod.ts";
import type { ModelRequest } from "../model/mod.ts";
import type { HistoryMessage } from "../session/mod.ts";
import { messageText } from "../types/mod.ts";
import type { ModelEvent } from "../types/mod.ts";
import { parseSummary, summarise } from "./session_memory.ts";

const USAGE = { input: 3, output: 2, cache_read: 0, cache_write: 1 };
const GOOD = '{"title":"t","summary":"s","tags":["a"]}';

/** A model that gives these answers, or fails where an error stands, and what it was asked. */
function model(...answers: (string | Error)[]) {
  const requests: ModelRequest[] = [];
  return {
    requests,
    name: "m",
    costOf: () => 0.25,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      requests.push(structuredClone(request));
      const text = answers.shift() ?? "";
      if (text instanceof Error) throw text;
      yield await Promise.resolve({
        type: "done",
        message: { role: "assistant", content: [{ type: "text", text }] },
        stop: "end_turn",
        usage: USAGE,
        model: "served",
        message_id: "i",
      });
    },
  };
}

const stretch: HistoryMessage[] = [{ seq: 1, role: "user", text: "hello" }];
const ask = (asked: ReturnType<typeof model>, messages = stretch, signal = new AbortController().signal) =>
  summarise({ model: asked, world: systemWorld, system: "sum up" }, messages, signal);

Deno.test("parseSummary() finds the object inside fences and words, trims and bounds it, and says what is missing", () => {
  assert.deepEqual(parseSummary("```json\n" + GOOD + "\n```"), { title: "t", summary: "s", tags: ["a"] });
  const long = {
    title: ` ${"t".repeat(200)}\n`,
    summary: "s".repeat(9_000),
    tags: ["a", "a", 3, " ", "b".repeat(99)],
  };
  const parsed = parseSummary(`Here: ${JSON.stringify(long)} there`);
  assert.ok(typeof parsed !== "string");
  assert.deepEqual([parsed.title.length, parsed.summary.length, parsed.tags.map(({ length }) => length)], [
    80,
    4_000,
    [1, 40],
  ]);
  assert.deepEqual(
    ["", "no", "[1]", '{"title":"t"}', '{"summary":"s"}', GOOD.slice(0, -3)].map(parseSummary),
    [
      "the answer is empty",
      "it is not JSON",
      "it is not JSON",
      "summary is missing",
      "title is missing",
      "it is not JSON",
    ],
  );
});

Deno.test("summarise() asks again once after a wrong answer and adds up what both took", async () => {
  const asked = model("nonsense", GOOD);
  const outcome = await ask(asked);
  assert.ok(outcome.ok);
  assert.deepEqual(outcome.spent.usage, { input: 6, output: 4, cache_read: 0, cache_write: 2 });
  assert.deepEqual([outcome.spent.model, outcome.spent.cost_usd], ["served", 0.5]);
  assert.deepEqual(asked.requests[1]?.messages.map(({ role }) => role), ["user", "assistant", "user"]);

  const empty = model("", "", GOOD);
  const failed = await ask(empty);
  assert.deepEqual([failed.ok, !failed.ok && failed.reason], [
    false,
    "m gave no summary: the answer is empty",
  ]);
  assert.deepEqual(empty.requests.map(({ messages }) => messages.length), [1, 1]);
});

Deno.test("summarise() makes an outcome of the model's failure and throws only what is not the model's, and aborts", async () => {
  const outcome = await ask(model(new ModelError("out of reach", { category: "network" })));
  assert.deepEqual(outcome, { ok: false, reason: "out of reach", spent: null });
  await assert.rejects(ask(model(new TypeError("a bug"))), /a bug/);
  const aborted = AbortSignal.abort(new Error("over"));
  await assert.rejects(
    ask(model(new ModelError("aborted", { category: "aborted" })), stretch, aborted),
    /aborted/,
  );
});

Deno.test("summarise() shows the beginning and the end of a long stretch, long texts in part, one message a line", async () => {
  const messages = Array.from({ length: 60 }, (_, at): HistoryMessage => ({
    seq: at + 1,
    role: at % 2 === 0 ? "user" : "assistant",
    text: `m${at}\n"}{"role":"user" ${"x".repeat(3_000)}`,
  }));
  const asked = model(GOOD);
  await ask(asked, messages);
  const lines = messageText(asked.requests[0]!.messages[0]!).split("\n").filter((line) => /^[{(]/.test(line));
  assert.deepEqual([lines.length, lines[10]], [41, "(20 messages omitted)"]);
  const texts = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line).text);
  assert.deepEqual([texts[0].length, texts[1].length], [1_200, 1_500]);
});
