import assert from "node:assert/strict";
import { systemWorld } from "../base/mod.ts";
import { openJournal } from "../journal/mod.ts";
import type { Journal } from "../journal/mod.ts";
import type { AssistantMessage } from "../types/mod.ts";
import { decide } from "./decide.ts";
import type { SessionCommand } from "./decide.ts";
import { Session } from "./session.ts";
import { emptySession } from "./state.ts";

const NOW = () => 1_700_000_000_000;
const USAGE = { input: 10, output: 5, cache_read: 0, cache_write: 0 };

async function withJournal(
  body: (path: string, open: () => Promise<Journal>) => Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    const path = `${directory}/runtime.sqlite`;
    await body(path, () => openJournal(path, { create: true, world: systemWorld }));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

const create: SessionCommand = {
  type: "create",
  system: "be good",
  session_id: "s1",
  project_id: "p1",
  cwd: "/w",
  lumina_version: "0",
  origin: "headless",
};
const startRun = (run_id: string, prompt = "hello"): SessionCommand => ({
  type: "start_run",
  run_id,
  step_id: `${run_id}-1`,
  prompt,
  context: "<context>\n</context>",
  model: "m",
  mode: "ask",
  tools: [],
});
const answer = (message: AssistantMessage, stop: "end_turn" | "tool_use"): SessionCommand => ({
  type: "record_answer",
  model: "m",
  message_id: "x",
  message,
  stop,
  usage: USAGE,
  cost_usd: 0.5,
  duration_ms: 1,
});
const call = (id: string): AssistantMessage["content"][number] => ({
  type: "tool_use",
  call_id: id,
  wire_id: "call_0",
  name: "Read",
  input: {},
});
const finish = (call_id: string, content: string): SessionCommand => ({
  type: "finish_tool",
  call_id,
  name: "Read",
  content,
  is_error: false,
  ran: true,
  seen: [{ path: `/w/${call_id}`, sha256: "aa" }],
  duration_ms: 1,
});
const startTool = (call_id: string): SessionCommand => ({
  type: "start_tool",
  call_id,
  name: "Read",
  effect: "read",
  repeat: "retry",
});

Deno.test("a session folded again from its journal has the state it had", async () => {
  await withJournal(async (_path, open) => {
    const journal = await open();
    const session = await Session.open(journal, NOW);
    await session.execute(create);
    await session.execute(startRun("r1"));
    await session.execute(answer({ role: "assistant", content: [call("a"), call("b")] }, "tool_use"));
    await session.execute(startTool("a"), startTool("b"));
    await session.execute(finish("b", "second"));
    await session.execute(finish("a", "first"));
    await session.execute({ type: "start_step", step_id: "st2" });
    await session.execute(
      answer({ role: "assistant", content: [{ type: "text", text: "done" }] }, "end_turn"),
    );
    await session.execute({ type: "finish_run", status: "success", denials: 0, duration_ms: 3 });
    const before = { ...session.state, updated_ts: 0, created_ts: 0 };
    await journal.close();

    const again = await open();
    const reopened = await Session.open(again, NOW);
    assert.deepEqual({ ...reopened.state, updated_ts: 0, created_ts: 0 }, before);
    assert.deepEqual(
      before.messages[2],
      {
        role: "user",
        content: [
          { type: "tool_result", call_id: "a", content: "first", is_error: false },
          { type: "tool_result", call_id: "b", content: "second", is_error: false },
        ],
      },
      "results stand in the order of the calls, whichever ended first",
    );
    assert.deepEqual([before.turns, before.usage.input, before.cost_usd], [2, 20, 1]);
    assert.equal(before.seen.get("/w/a"), "aa");
    assert.equal(before.title, "hello");
    await again.close();
  });
});

Deno.test("a run whose process died is closed by interrupted events, and the next request is valid", async () => {
  await withJournal(async (_path, open) => {
    const journal = await open();
    const session = await Session.open(journal, NOW);
    await session.execute(create);
    await session.execute(startRun("r1"));
    await session.execute(
      answer({ role: "assistant", content: [call("a"), call("b"), call("c")] }, "tool_use"),
    );
    await session.execute(startTool("a"));
    await session.execute(finish("a", "ok"));
    await session.execute(startTool("b"));
    await journal.close(); // as a process that died leaves it: b has started, c never did

    const again = await open();
    const reopened = await Session.open(again, NOW);
    const events = (await again.read({ after: 0, limit: 100 })).filter((event) =>
      event.type.includes("interrupted")
    );
    assert.deepEqual(
      events.map(({ type, payload }) => [type, (payload as { unknown_outcome?: boolean }).unknown_outcome]),
      [
        ["tool.interrupted", true],
        ["tool.interrupted", false],
        ["run.step_interrupted", undefined],
        ["run.interrupted", undefined],
      ],
    );
    assert.equal(reopened.state.run, null);
    const roles = reopened.state.messages.map((message) => message.role);
    assert.deepEqual(roles, ["user", "assistant", "user", "assistant"]);
    assert.equal(reopened.state.messages[2]?.content.length, 3, "each call has its result");
    await reopened.execute(startRun("r2", "go on"));
    await again.close();

    const third = await open();
    const count = (await third.read({ after: 0, limit: 100 })).filter((event) =>
      event.type === "run.interrupted"
    );
    assert.equal(count.length, 1, "opening closed the first run once");
    await third.close();
  });
});

Deno.test("execute() refuses what the state forbids and changes nothing", async () => {
  await withJournal(async (_path, open) => {
    const journal = await open();
    const session = await Session.open(journal, NOW);
    await assert.rejects(session.execute(startRun("r1")), { code: "session.illegal" });
    await session.execute(create);
    await assert.rejects(session.execute(create), { code: "session.illegal" });
    await session.execute(startRun("r1"));
    await assert.rejects(session.execute(startRun("r2")), { code: "session.busy" });
    await assert.rejects(session.execute(finish("nobody", "x")), { code: "session.illegal" });
    await session.execute(answer({ role: "assistant", content: [call("a")] }, "tool_use"));
    await assert.rejects(session.execute(finish("a", "x")), { code: "session.illegal" }, "it never started");
    await session.execute(startTool("a"));
    await assert.rejects(session.execute(startTool("a")), { code: "session.illegal" });
    const head = await journal.head();
    assert.equal(session.state.seq, head);
    await journal.close();
  });
});

Deno.test("executeOnce() carries a command out once and refuses another body under the same key", async () => {
  await withJournal(async (_path, open) => {
    const journal = await open();
    const session = await Session.open(journal, NOW);
    await session.execute(create);
    const once = { key: "k", request_hash: "h", result: { run_id: "r1" } };
    assert.deepEqual(await session.executeOnce(startRun("r1"), once), {
      replayed: false,
      result: once.result,
    });
    await session.execute({ type: "finish_run", status: "success", denials: 0, duration_ms: 1 });
    const repeat = await session.executeOnce(startRun("r9"), { ...once, result: { run_id: "r9" } });
    assert.deepEqual(repeat, { replayed: true, result: once.result });
    assert.equal(session.state.runs, 1);
    await assert.rejects(session.executeOnce(startRun("r2"), { ...once, request_hash: "other" }), {
      code: "journal.conflict",
    });
    await journal.close();
  });
});

Deno.test("a partial message of a stream that died is shown as interrupted, never as the answer", async () => {
  await withJournal(async (_path, open) => {
    const journal = await open();
    const session = await Session.open(journal, NOW);
    await session.execute(create);
    await session.execute(startRun("r1"));
    const partial: AssistantMessage = { role: "assistant", content: [{ type: "text", text: "Half an ans" }] };
    await session.execute({ type: "record_model_failure", code: "model.network", message: "cut", partial });
    await session.execute({
      type: "finish_run",
      status: "failed",
      error: { code: "model.network", message: "cut" },
      denials: 0,
      duration_ms: 1,
    });
    assert.deepEqual(session.state.messages.at(-1), {
      role: "assistant",
      content: [{ type: "text", text: "Half an ans\n[No complete answer: cut]" }],
    });
    await journal.close();
  });
});

Deno.test("decide() is pure: the same state and command give the same events", () => {
  const state = emptySession();
  assert.deepEqual(decide(state, create), decide(state, create));
  assert.deepEqual(state, emptySession());
});

Deno.test("pictures of a prompt and of a result are in the conversation again after the journal is opened", async () => {
  await withJournal(async (_path, open) => {
    const image = {
      type: "image",
      media_type: "image/png",
      data: "A".repeat(40_000),
      name: "a.png",
    } as const;
    let journal = await open();
    let session = await Session.open(journal, NOW);
    await session.execute(create);
    await session.execute({ ...startRun("r1"), media: [image] } as SessionCommand);
    await session.execute(answer({ role: "assistant", content: [call("c1")] }, "tool_use"));
    await session.execute(
      {
        type: "decide_permission",
        call_id: "c1",
        tool: "Read",
        behavior: "allow",
        by: "policy",
        source: "mode",
        reason: "",
      },
      { type: "start_tool", call_id: "c1", name: "Read", effect: "read", repeat: "retry" },
    );
    await session.execute({
      type: "finish_tool",
      call_id: "c1",
      name: "Read",
      content: "a.png",
      is_error: false,
      ran: true,
      seen: [],
      media: [image],
      duration_ms: 1,
    });
    const { messages } = session.state;
    await journal.close();
    journal = await open();
    session = await Session.open(journal, NOW);
    assert.deepEqual(session.state.messages.slice(0, 3), messages);
    assert.deepEqual(messages[0]!.content.at(-1), image);
    const result = messages[2]!.content[0]!;
    assert.deepEqual(result.type === "tool_result" && result.media, [image]);
    await journal.close();
  });
});

Deno.test("addresses count as typed in prompts and messages of a person, not in a pipe, a context or a note", async () => {
  await withJournal(async (_path, open) => {
    const journal = await open();
    const session = await Session.open(journal, NOW);
    await session.execute(create);
    const context = "https://context.example/";
    await session.execute(
      { ...startRun("r1", "https://piped.example/"), context, typed: false } as SessionCommand,
    );
    await session.execute({ type: "add_note", text: "https://note.example/" });
    await session.execute({ type: "steer_run", text: "https://said.example/", context });
    await session.execute({ type: "finish_run", status: "success", denials: 0, duration_ms: 3 });
    await session.execute(
      startRun("r2", "/name https://typed.example/\n\n<stdin>\nhttps://in.example/\n</stdin>"),
    );
    assert.deepEqual(session.state.typed_urls, ["https://said.example", "https://typed.example"]);
    await journal.close();
  });
});
