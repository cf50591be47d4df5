import assert from "node:assert/strict";
import { join } from "node:path";
import { systemWorld } from "../../../base/mod.ts";
import { openJournal } from "../../../journal/mod.ts";
import { Session } from "../../../session/mod.ts";
import type { SessionCommand } from "../../../session/mod.ts";
import { messageText, NO_USAGE } from "../../../types/mod.ts";
import { recordSession } from "./record_session.ts";
import type { RecordedSession } from "./record_session.ts";

/** What is recorded of a session that carried out the commands. */
async function recorded(
  ...commands: (SessionCommand | ((session: Session) => SessionCommand))[]
): Promise<RecordedSession> {
  const folder = await Deno.makeTempDir();
  const journal = await openJournal(join(folder, "runtime.sqlite"), { create: true, world: systemWorld });
  try {
    const session = await Session.open(journal, () => systemWorld.now());
    await session.execute({
      type: "create",
      system: "be brief",
      session_id: "a",
      project_id: "p",
      cwd: "/w",
      lumina_version: "0",
      origin: "headless",
    });
    for (const command of commands) {
      await session.execute(typeof command === "function" ? command(session) : command);
    }
    return await recordSession(journal);
  } finally {
    await journal.close();
    await Deno.remove(folder, { recursive: true });
  }
}

let runs = 0;
const start = (prompt: string): SessionCommand => ({
  type: "start_run",
  run_id: `run-${++runs}`,
  step_id: "s",
  prompt,
  context: "<context>\nDate: 2026-01-01\n</context>",
  model: "m",
  mode: "ask",
  tools: ["Bash", "Read"],
});
const answer = (text: string): SessionCommand => ({
  type: "record_answer",
  model: "m",
  message_id: text,
  message: { role: "assistant", content: [{ type: "text", text }] },
  stop: "end_turn",
  usage: { ...NO_USAGE, input: 7 },
  cost_usd: 0,
  duration_ms: 1,
});
const finish: SessionCommand = { type: "finish_run", status: "success", denials: 0, duration_ms: 1 };

/** Each request by the texts of its messages, with what came of it. */
function outline({ recording }: RecordedSession) {
  return recording.records.map(({ request, events, error }) => {
    const done = events.at(-1);
    return [
      request?.messages.map((message) => messageText(message).replace(/^<context>[^]*<\/context>/, "")),
      error?.message ?? (done?.type === "done" ? messageText(done.message) : undefined),
    ];
  });
}

Deno.test("each request is recorded as it was sent, with the answer and what it used", async () => {
  const session = await recorded(start("one"), answer("1"), finish, start("two"), answer("2"), finish);
  assert.deepEqual(session.warnings, []);
  assert.deepEqual(session.recording.prompts, ["one", "two"]);
  assert.equal(session.recording.model, "m");
  assert.deepEqual(outline(session), [[["one"], "1"], [["one", "1", "two"], "2"]]);
  const [first] = session.recording.records;
  assert.deepEqual([first?.request?.system, first?.request?.tools], ["be brief", ["Bash", "Read"]]);
  for (const event of first?.events ?? []) {
    if (event.type === "start" || event.type === "done") assert.equal(event.usage.input, 7);
  }
});

Deno.test("failed and interrupted requests are recorded with their failure, so that what follows has the same history", async () => {
  const session = await recorded(
    start("one"),
    { type: "record_model_failure", code: "model.network", message: "the line is dead", partial: null },
    {
      ...finish,
      status: "failed",
      error: { code: "model.network", message: "the line is dead" },
    } as SessionCommand,
    start("two"),
    { type: "interrupt_run", reason: "interrupted (SIGINT)" },
    start("three"),
    answer("3"),
    finish,
  );
  assert.deepEqual(outline(session), [
    [["one"], "the line is dead"],
    [["one", "[No complete answer: the line is dead]", "two"], "interrupted (SIGINT)"],
    [
      [
        "one",
        "[No complete answer: the line is dead]",
        "two",
        "[No complete answer: interrupted (SIGINT)]",
        "three",
      ],
      "3",
    ],
  ]);
  assert.deepEqual(session.recording.records.map(({ error }) => error?.code), [
    "model.network",
    "model.aborted",
    undefined,
  ]);
});

Deno.test("what a rewind took back is not recorded; a rewind into a run is told", async () => {
  const back = (to: (session: Session) => number) => (session: Session): SessionCommand => ({
    type: "rewind",
    to: to(session),
    scope: "conversation",
    snapshot: null,
    changed: 0,
  });
  const clean = await recorded(
    start("one"),
    answer("1"),
    finish,
    start("two"),
    answer("2"),
    finish,
    back(({ state }) => state.origins[2] ?? 0),
    start("three"),
    answer("3"),
    finish,
  );
  assert.deepEqual(clean.recording.prompts, ["one", "three"]);
  assert.deepEqual(outline(clean), [[["one"], "1"], [["one", "1", "three"], "3"]]);
  assert.deepEqual(clean.warnings, []);

  const call = { type: "tool_use", call_id: "c", wire_id: "w", name: "Read", input: {} } as const;
  const inside = await recorded(
    start("one"),
    { ...answer(""), message: { role: "assistant", content: [call] }, stop: "tool_use" } as SessionCommand,
    { type: "start_tool", call_id: "c", name: "Read", effect: "read", repeat: "retry" },
    {
      type: "finish_tool",
      call_id: "c",
      name: "Read",
      content: "x",
      is_error: false,
      ran: true,
      seen: [],
      duration_ms: 1,
    },
    { type: "start_step", step_id: "t" },
    answer("1"),
    finish,
    back(({ state }) => state.origins[1] ?? 0),
  );
  assert.equal(inside.recording.records.length, 1);
  assert.match(inside.warnings.join(), /into the middle of a run/);
});
