import assert from "node:assert/strict";
import { join } from "node:path";
import { systemWorld } from "../base/mod.ts";
import { openJournal, readEvents } from "../journal/mod.ts";
import type { Journal } from "../journal/mod.ts";
import { NO_USAGE } from "../types/mod.ts";
import type { SessionCommand } from "./decide.ts";
import { foldSession } from "./fold_session.ts";
import { SessionHistory } from "./history.ts";
import { Session } from "./session.ts";

/** Times are not what is compared here. */
const world = { ...systemWorld, now: () => 1_700_000_000_000 };

const start = (run_id: string, prompt: string): SessionCommand => ({
  type: "start_run",
  run_id,
  step_id: `${run_id}-1`,
  prompt,
  context: "",
  model: "m",
  mode: "ask",
  tools: [],
});
const answer = (text: string): SessionCommand => ({
  type: "record_answer",
  model: "m",
  message_id: text,
  message: { role: "assistant", content: [{ type: "text", text }] },
  stop: "end_turn",
  usage: { ...NO_USAGE, input: 10 },
  cost_usd: 0.5,
  duration_ms: 1,
});
const begin = (agent_id: string): SessionCommand => ({
  type: "start_agent",
  agent_id,
  agent_type: "explore",
  description: "look around",
  background: false,
  model: "m",
  tools: ["Read"],
  worktree: { path: "/w/tree", branch: "lumina/a" },
});
const finish: SessionCommand = { type: "finish_run", status: "success", denials: 0, duration_ms: 1 };

async function withJournal(use: (open: () => Promise<Journal>) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const file = join(folder, "runtime.sqlite");
  let create = true;
  try {
    await use(async () => {
      const journal = await openJournal(file, { create, world });
      create = false;
      return journal;
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function begun(journal: Journal): Promise<Session> {
  const session = await Session.open(journal, world.now);
  await session.execute({
    type: "create",
    system: "be brief",
    session_id: "s",
    project_id: "p",
    cwd: "/w",
    lumina_version: "0",
    origin: "headless",
  });
  await session.execute(start("run-1", "delegate"));
  return session;
}

Deno.test("a sub-agent's conversation stays apart from its session's, and what it used is added there", async () => {
  await withJournal(async (open) => {
    const journal = await open();
    try {
      const session = await begun(journal);
      await session.execute(begin("a"));
      const child = session.newAgent("a");
      await child.execute({ type: "set_prompt", system: "look" });
      // both write at the same time
      await Promise.all([child.execute(start("run-2", "look around")), session.execute(answer("parent"))]);
      await Promise.all([child.execute(answer("child")), session.execute({ type: "warn", text: "w" })]);
      await child.execute(finish);
      await session.execute({
        type: "finish_agent",
        agent_id: "a",
        status: "success",
        turns: 1,
        usage: NO_USAGE,
        cost_usd: 0.5,
        duration_ms: 1,
      });
      await session.execute(finish);
      assert.deepEqual([session.state.messages.length, session.state.turns, session.state.runs], [2, 1, 1]);
      assert.deepEqual([session.state.usage.input, session.state.cost_usd], [20, 1]);
      assert.deepEqual([child.state.messages.length, child.state.usage.input], [2, 10]);
      assert.equal(session.state.agents[0]?.status, "success");
      assert.equal(session.state.agents[0]?.worktree, undefined); // nothing is left of it
      const { state } = await foldSession(journal);
      assert.deepEqual(state, session.state);
      const history = new SessionHistory();
      for await (const page of readEvents(journal)) for (const event of page) history.add(event);
      assert.deepEqual(history.messages.map(({ text }) => text), ["delegate", "parent"]);
      const chains: unknown[] = [];
      for await (const page of readEvents(journal, { stream_id: "agent/a" })) {
        for (const event of page) {
          if (event.type === "usage.recorded") chains.push((event.payload as { chain?: unknown }).chain);
        }
      }
      assert.deepEqual(chains, ["subagent"]);
    } finally {
      await journal.close();
    }
  });
});

Deno.test("opening a session whose process died closes its sub-agents' streams, keeps what they had done and goes on with one", async () => {
  await withJournal(async (open) => {
    let journal = await open();
    const session = await begun(journal);
    await session.execute(begin("a"));
    const child = session.newAgent("a");
    await child.execute(start("run-2", "look around"));
    await child.execute(answer("half of it"));
    await child.execute({ ...begin("b"), description: "deeper" } as SessionCommand);
    await journal.close();

    journal = await open();
    try {
      const again = await Session.open(journal, world.now);
      const [record] = again.state.agents;
      assert.equal(record?.status, "interrupted");
      assert.match(record?.untold ?? "", /Model answers: 1; no tool was called\. Last words: half of it/);
      assert.deepEqual(record?.worktree, { path: "/w/tree", branch: "lumina/a" });
      const reopened = await again.openAgent("a");
      assert.equal(reopened.state.run, null);
      assert.deepEqual(reopened.state.agents.map(({ status }) => status), ["interrupted"]);
      await reopened.execute(start("run-3", "go on"));
      assert.equal(reopened.state.messages.length, 3);
      await again.execute(start("run-4", "next"));
      assert.equal(again.state.agents[0]?.untold, undefined);
      assert.deepEqual((await foldSession(journal)).state, again.state);
    } finally {
      await journal.close();
    }
  });
});
