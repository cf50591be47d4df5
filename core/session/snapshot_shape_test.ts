import assert from "node:assert/strict";
import type { StoredEvent } from "../types/mod.ts";
import { evolveKnown } from "./evolve.ts";
import type { SessionEvent } from "./events.ts";
import { emptySession } from "./state.ts";

/** An event of each kind that adds parts to the state which a session without it has not. */
const EVENTS: Pick<StoredEvent, "type" | "version" | "payload">[] = [
  {
    type: "run.started",
    version: 2,
    payload: { prompt: "see https://example.org", context: "", model: "m", mode: "ask", tools: [] },
  },
  {
    type: "model.answered",
    version: 1,
    payload: {
      model: "m",
      message_id: "1",
      stop: "tool_use",
      message: {
        role: "assistant",
        content: [
          { type: "thinking", text: "t", signature: "s" },
          { type: "tool_use", call_id: "c", wire_id: "w", name: "Bash", input: {} },
        ],
      },
    },
  },
  {
    type: "usage.recorded",
    version: 1,
    payload: {
      model: "m",
      usage: { input: 1, output: 1, cache_read: 0, cache_write: 0 },
      cost_usd: 1,
      duration_ms: 1,
    },
  },
  { type: "tool.started", version: 1, payload: { call_id: "c", name: "Bash", effect: "run", repeat: "ask" } },
  { type: "tool.shell_started", version: 1, payload: { shell_id: "sh_1", call_id: "c", command: "x" } },
  {
    type: "subagent.started",
    version: 1,
    payload: {
      agent_id: "a",
      agent_type: "t",
      description: "d",
      background: false,
      model: "m",
      tools: [],
      worktree: { path: "/p", branch: "b" },
    },
  },
  { type: "subagent.interrupted", version: 1, payload: { agent_id: "a", reason: "r", done: "d" } },
  {
    type: "task.created",
    version: 1,
    payload: {
      task_id: "1",
      subject: "s",
      description: "",
      active_form: "f",
      status: "pending",
      owner: "o",
      blocked_by: [],
    },
  },
  {
    type: "run.skill_used",
    version: 1,
    payload: { name: "n", source: "user", by: "model", text: "t" },
  },
  {
    type: "tool.interrupted",
    version: 1,
    payload: { call_id: "c", name: "Bash", reason: "r", unknown_outcome: true },
  },
  {
    type: "session.compacted",
    version: 1,
    payload: {
      trigger: "auto",
      tier: "summary",
      head: ["h"],
      from: null,
      replaced: [{ call_id: "c", content: "x" }],
      tokens_before: 2,
      tokens_after: 1,
    },
  },
  { type: "run.interrupted", version: 1, payload: { reason: "r" } },
];

/** The parts of version 2. */
const SHAPE = `
agents.agent_id agents.agent_type agents.background agents.description agents.status agents.untold
agents.worktree.branch agents.worktree.path
compactions.at compactions.head.from compactions.head.texts compactions.replaced compactions.seq
memory.prompts memory.to memory.tried messages origins requests
shells.command shells.shell_id
skills.name skills.seq skills.source skills.text skills.uses spent.unpriced spent.usd
tasks.active_form tasks.description tasks.owner tasks.seq tasks.status tasks.subject tasks.task_id typed_urls
unknown.call_id unknown.name unknown.repeat unknown.run unknown.seq
usage.cache_read usage.cache_write usage.input usage.output
`;

/** Where values stand in it; what a number of events names (calls, numbers) is left out. */
function places(value: unknown, at: string): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => places(one, `${at}[]`));
  if (value instanceof Map || typeof value !== "object" || value === null) return [at];
  if (/thought$|replaced$|messages/.test(at)) return [at];
  return Object.entries(value).flatMap(([name, one]) => places(one, at === "" ? name : `${at}.${name}`));
}

Deno.test("the parts of a stored state are those of its version: who changes them counts FOLD up (snapshot.ts)", () => {
  let state = emptySession();
  EVENTS.forEach((event, index) => {
    const seq = index + 1;
    const stored = { ...event, seq, stream_id: "run/r", stream_seq: seq, ts: 1, run_id: "r" };
    state = evolveKnown(state, stored as unknown as SessionEvent);
  });
  const nested = [...new Set(places(state, ""))].filter((place) => /[.[]/.test(place)).sort();
  assert.deepEqual(nested.map((place) => place.replaceAll("[]", "")), SHAPE.trim().split(/\s+/));
});
