import assert from "node:assert/strict";
import { systemWorld } from "../../../base/mod.ts";
import type { HookPort, ToolRun } from "../../../agent/mod.ts";
import { openJournal } from "../../../journal/mod.ts";
import { Session, tasksOf } from "../../../session/mod.ts";
import type { HookMoment, HookOutcome } from "../../../types/mod.ts";
import { TaskBoard } from "./task_board.ts";
import { taskTools } from "./task_tools.ts";

const CREATE = {
  type: "create",
  system: "",
  session_id: "s1",
  project_id: "p1",
  cwd: "/w",
  lumina_version: "0",
  origin: "headless",
} as const;
const { signal } = new AbortController();

/** A session with its tools for tasks; `again` opens it anew. */
async function withTasks(
  body: (at: {
    session: Session;
    board: TaskBoard;
    call(name: string, input?: Record<string, unknown>): Promise<{ content: string; is_error?: boolean }>;
    again(): Promise<Session>;
  }) => Promise<void>,
  hooks?: HookPort,
): Promise<void> {
  const directory = await Deno.makeTempDir();
  let journal = await openJournal(`${directory}/runtime.sqlite`, { create: true, world: systemWorld });
  try {
    const session = await Session.open(journal, () => 1);
    await session.execute(CREATE);
    const board = new TaskBoard({ session, hooks, most: 4 });
    const tools = taskTools(() => board, () => {});
    await body({
      session,
      board,
      call: async (name, input = {}) =>
        await tools.find((tool) => tool.name === name)!.call(input as never, { signal } as ToolRun),
      again: async () => {
        await journal.close();
        journal = await openJournal(`${directory}/runtime.sqlite`, { create: false, world: systemWorld });
        return await Session.open(journal, () => 2);
      },
    });
  } finally {
    await journal.close();
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("tasks are made, worked on, listed and deleted, and are there again when the session is opened", async () => {
  await withTasks(async ({ call, session, again }) => {
    assert.equal((await call("TaskList")).content, "The task list is empty");
    assert.equal(
      (await call("TaskCreate", { subject: "Build", owner: "anna" })).content,
      "Created #1 [pending] Build (anna)",
    );
    await call("TaskCreate", { subject: "Test", description: "all of it", blockedBy: ["1"] });
    await call("TaskCreate", { subject: "Ship" });
    assert.equal(
      (await call("TaskUpdate", { taskId: "#2", addBlocks: ["3"] })).content,
      "#2 [pending] Test, waits for #1\n#3 [pending] Ship, waits for #2",
    );
    assert.equal(
      (await call("TaskUpdate", { taskId: "1", status: "completed" })).content,
      "#1 [completed] Build (anna)",
    );
    assert.equal(
      (await call("TaskGet", { taskId: "2" })).content,
      "#2 [pending] Test\nall of it\nblocked by: #1\nblocks: #3",
    );
    assert.equal(
      (await call("TaskUpdate", { taskId: "2", status: "deleted" })).content,
      "Deleted #2 Test\n#3 [pending] Ship",
    );
    assert.equal((await call("TaskList")).content, "#1 [completed] Build (anna)\n#3 [pending] Ship");
    const before = tasksOf(session.state);
    assert.deepEqual(tasksOf((await again()).state), before);
  });
});

Deno.test("tasks never wait in a circle, begin before what they wait for, or grow beyond the limit; an id is never given twice", async () => {
  await withTasks(async ({ call, board }) => {
    for (const subject of ["a", "b", "c"]) await call("TaskCreate", { subject });
    await call("TaskUpdate", { taskId: "2", addBlockedBy: ["1"] });
    await call("TaskUpdate", { taskId: "3", addBlockedBy: ["2"] });
    const circle = await call("TaskUpdate", { taskId: "1", addBlockedBy: ["3"] });
    assert.deepEqual(circle, {
      content: "Tasks may not wait for each other in a circle: 1 -> 3 -> 2 -> 1",
      is_error: true,
    });
    assert.match((await call("TaskUpdate", { taskId: "1", addBlocks: ["1"] })).content, /circle: 1 -> 1/);
    assert.match(
      (await call("TaskUpdate", { taskId: "3", status: "in_progress" })).content,
      /Task 3 waits for #2 b/,
    );
    assert.match(
      (await call("TaskUpdate", { taskId: "9" })).content,
      /There is no task 9: there are 1, 2, 3/,
    );
    assert.match((await call("TaskCreate", { subject: " " })).content, /subject of a task is empty/);
    await call("TaskCreate", { subject: "d" });
    assert.match((await call("TaskCreate", { subject: "e" })).content, /The list has 4 tasks/);
    await call("TaskUpdate", { taskId: "4", status: "deleted" });
    assert.match((await call("TaskCreate", { subject: "e" })).content, /Created #5/);
    assert.deepEqual(board.list().map(({ blocked_by }) => blocked_by), [[], ["1"], ["2"], []]);
  });
});

Deno.test("a hook of TaskCreated or TaskCompleted that blocks leaves the list as it was", async () => {
  const seen: HookMoment[] = [];
  const hooks: HookPort = {
    waits: (event) => event === "TaskCreated" || event === "TaskCompleted",
    run(moment) {
      seen.push(moment);
      const bad = String(moment.fields["task_subject"]).startsWith("bad") || moment.event === "TaskCompleted";
      const outcome: HookOutcome = { context: [], messages: [], problems: [] };
      return Promise.resolve(bad ? { ...outcome, block: { reason: "no tests", hook: "h.sh" } } : outcome);
    },
  };
  await withTasks(async ({ call, board }) => {
    assert.equal(
      (await call("TaskCreate", { subject: "bad" })).content,
      "A hook does not let the task be created: no tests (h.sh)",
    );
    await call("TaskCreate", { subject: "good", description: "why" });
    assert.match(
      (await call("TaskUpdate", { taskId: "1", status: "completed" })).content,
      /be completed: no tests/,
    );
    assert.deepEqual(board.list().map(({ status }) => status), ["pending"]);
    assert.deepEqual(seen[1]!.fields, { task_id: "1", task_subject: "good", task_description: "why" });
  }, hooks);
});

Deno.test("a rewind of the conversation takes back what was done to tasks behind it", async () => {
  await withTasks(async ({ call, session }) => {
    const run = async (id: string) => {
      await session.execute({
        type: "start_run",
        run_id: id,
        step_id: `${id}-1`,
        prompt: id,
        context: "",
        model: "m",
        mode: "ask",
        tools: [],
      });
      const seq = session.state.origins.at(-1)!;
      await call("TaskCreate", { subject: id });
      await session.execute({ type: "finish_run", status: "success", denials: 0, duration_ms: 1 });
      return seq;
    };
    await run("first");
    const second = await run("second");
    await session.execute({ type: "rewind", to: second, scope: "files", snapshot: null, changed: 0 });
    assert.equal(tasksOf(session.state).length, 2);
    await session.execute({ type: "rewind", to: second, scope: "conversation", snapshot: null, changed: 0 });
    assert.deepEqual(tasksOf(session.state).map(({ subject }) => subject), ["first"]);
  });
});
