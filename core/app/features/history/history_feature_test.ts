import assert from "node:assert/strict";
import type { ToolRun } from "../../../agent/mod.ts";
import { SessionHistory } from "../../../session/mod.ts";
import type { Json } from "../../../types/mod.ts";
import { historyTools } from "./history_feature.ts";

/** A history of one prompt, its answer and a summary of both. */
function history(): SessionHistory {
  const made = new SessionHistory();
  let seq = 0;
  const add = (type: string, payload: Json, run_id = "r1") =>
    made.add({
      seq: ++seq,
      stream_id: "session",
      stream_seq: seq,
      ts: Date.UTC(2026, 0, 2),
      type,
      version: 1,
      payload,
      run_id,
    });
  add("run.started", { prompt: "fix the bug", context: "", model: "m", mode: "ask", tools: [] });
  add("model.answered", {
    model: "m",
    message_id: "x",
    stop: "end_turn",
    message: { role: "assistant", content: [{ type: "text", text: "fixed" }] },
  });
  add("memory.summarised", {
    from: 1,
    to: 2,
    title: "The bug",
    summary: "A bug was fixed.",
    tags: ["bug"],
    model: "m",
  });
  return made;
}

Deno.test("the history lists its summaries and shows one with its messages, by either name of its number", async () => {
  const tools = historyTools(() => Promise.resolve(history()));
  const call = async (name: string, input: Record<string, Json>) =>
    await tools.find((tool) => tool.name === name)!.call(input, {} as ToolRun);
  assert.equal(
    (await call("session_history_list", { query: "BUG" })).content,
    "#1 2026-01-02 The bug [bug]\n  A bug was fixed.",
  );
  assert.equal(
    (await call("session_history_list", { query: "none" })).content,
    "No summary of this session fits",
  );
  const plain = await call("session_history_get", { commit_no: 1 });
  assert.equal(plain.content, "#1 2026-01-02 The bug\nTags: bug\nA bug was fixed.");
  const full = await call("session_history_get", { number: 1, include_messages: true });
  assert.match(
    full.content,
    /--- user \(message 1\) ---\nfix the bug\n--- assistant \(message 2\) ---\nfixed$/,
  );
  assert.deepEqual(await call("session_history_get", { number: 7 }), {
    content: "There is no summary 7: they are numbered from 1 to 1",
    is_error: true,
  });
  assert.equal((await call("session_history_get", {})).is_error, true);
});
