import assert from "node:assert/strict";
import { contextMessages } from "./compaction.ts";
import { decide } from "./decide.ts";
import type { SessionCommand } from "./decide.ts";
import { evolve } from "./evolve.ts";
import { emptySession } from "./state.ts";

Deno.test("reasoning goes back to the model that it is of, the very same message, and to no other", () => {
  let state = emptySession();
  let at = 0;
  const tell = (command: SessionCommand) => {
    for (const event of decide(state, command)) {
      state = evolve(state, { ...event, seq: ++at, stream_id: "s", stream_seq: at, ts: 1 });
    }
  };
  const usage = { input: 1, output: 1, cache_read: 0, cache_write: 0 };
  const run = (model: string, fallback?: string) => {
    const run_id = `run-${at}`;
    tell({
      type: "start_run",
      run_id,
      step_id: `${run_id}-1`,
      prompt: "p",
      context: "",
      model,
      mode: "ask",
      tools: [],
    });
    if (fallback !== undefined) tell({ type: "record_fallback", from: model, to: fallback, reason: "r" });
    tell({
      type: "record_answer",
      model: "as the provider calls it",
      message_id: "m",
      message: {
        role: "assistant",
        content: [{ type: "thinking", text: "why", signature: `of ${fallback ?? model}` }, {
          type: "text",
          text: "a",
        }],
      },
      stop: "end_turn",
      usage,
      cost_usd: 0,
      duration_ms: 1,
    });
    tell({ type: "finish_run", status: "success", denials: 0, duration_ms: 1 });
  };
  tell({
    type: "create",
    system: "s",
    session_id: "s",
    project_id: "p",
    cwd: "/w",
    lumina_version: "0",
    origin: "headless",
  });
  run("one");
  assert.equal(contextMessages(state, "one"), state.messages);
  run("one", "other");
  const signatures = (model: string) => JSON.stringify(contextMessages(state, model)).match(/of \w+/g) ?? [];
  assert.deepEqual(signatures("one"), ["of one"]);
  assert.deepEqual(signatures("other"), ["of other"]);
  assert.deepEqual(signatures("third"), []);
  assert.equal(contextMessages(state, "one")[1], state.messages[1], "its own message is untouched");
});
