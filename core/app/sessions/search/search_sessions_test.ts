import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { appRootPaths } from "../../../app_root/mod.ts";
import { systemWorld } from "../../../base/mod.ts";
import type { SearchQuery } from "../../../cli/mod.ts";
import { openJournal } from "../../../journal/mod.ts";
import { Session } from "../../../session/mod.ts";
import type { SessionCommand } from "../../../session/mod.ts";
import { NO_USAGE } from "../../../types/mod.ts";
import { SessionStore } from "../session_store.ts";
import { searchSessions } from "./search_sessions.ts";

/** Saved sessions in a folder of their own, and searches over them in this process. */
class Sessions implements AsyncDisposable {
  readonly paths;
  readonly warnings: string[] = [];
  readonly #search;

  constructor(readonly root: string) {
    this.paths = appRootPaths(root);
    const store = new SessionStore(this.paths, systemWorld);
    this.#search = searchSessions({ store, cache_dir: this.paths.cacheDir, world: systemWorld });
  }

  static async open(): Promise<Sessions> {
    return new Sessions(await Deno.makeTempDir({ prefix: "lumina-search-" }));
  }

  get index(): string {
    return join(this.paths.cacheDir, "session-search.sqlite");
  }

  /** Opens a session's journal, made when it is new, and lets it go again. */
  async change(id: string, ...commands: SessionCommand[]): Promise<number> {
    const folder = this.paths.sessionDir(id);
    await Deno.mkdir(folder, { recursive: true });
    const journal = await openJournal(join(folder, "runtime.sqlite"), { create: true, world: systemWorld });
    try {
      const session = await Session.open(journal, () => systemWorld.now());
      if (session.state.session_id === "") await session.execute(created(id));
      for (const command of commands) await session.execute(command);
      return session.state.seq;
    } finally {
      await journal.close();
    }
  }

  /** One run: a prompt, perhaps a tool call, an answer. */
  async talk(
    id: string,
    prompt: string,
    answer: string,
    tool?: { input: string; result: string },
  ): Promise<void> {
    const call_id = crypto.randomUUID();
    const block = {
      type: "tool_use",
      call_id,
      wire_id: "w",
      name: "Read",
      input: { file: tool?.input ?? "" },
    } as const;
    await this.change(
      id,
      {
        type: "start_run",
        run_id: `run-${crypto.randomUUID()}`,
        step_id: "s1",
        prompt,
        context: "hiddencontext",
        model: "m",
        mode: "ask",
        tools: [],
      },
      ...(tool === undefined ? [] : [
        answered([block]),
        { type: "start_tool", call_id, name: "Read", effect: "read", repeat: "retry" },
        {
          type: "finish_tool",
          call_id,
          name: "Read",
          content: tool.result,
          is_error: false,
          ran: true,
          seen: [],
          duration_ms: 1,
        },
        { type: "start_step", step_id: "s2" },
      ] satisfies SessionCommand[]),
      answered([{ type: "text", text: answer }]),
      { type: "finish_run", status: "success", denials: 0, duration_ms: 1 },
    );
  }

  async find(text: string, query: Partial<SearchQuery> = {}) {
    const all = { text, archived: false, tools: false, limit: 100, ...query };
    const { hits, open } = await this.#search.search(all, (warning) => this.warnings.push(warning));
    assert.deepEqual(open, []);
    return hits;
  }

  /** Where something is found: session, role. */
  async where(text: string, query: Partial<SearchQuery> = {}): Promise<string[]> {
    return (await this.find(text, query)).map(({ session_id, role }) => `${session_id} ${role}`).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.root, { recursive: true });
  }
}

function created(session_id: string): SessionCommand {
  return {
    type: "create",
    system: "s",
    session_id,
    project_id: "p",
    cwd: `/ws/${session_id}`,
    lumina_version: "0",
    origin: "headless",
  };
}

function answered(
  content: (SessionCommand & { type: "record_answer" })["message"]["content"],
): SessionCommand {
  const message = { role: "assistant", content } as const;
  return {
    type: "record_answer",
    model: "m",
    message_id: "i",
    message,
    stop: "end_turn",
    usage: NO_USAGE,
    cost_usd: 0,
    duration_ms: 1,
  };
}

Deno.test("prompts, answers and titles are found at once, tools when asked for, hidden context never", async () => {
  await using sessions = await Sessions.open();
  await sessions.talk("one", "where is the kettle", "on the stove", {
    input: "kitchen.txt",
    result: "a steaming samovar",
  });
  assert.deepEqual(await sessions.where("kettle"), ["one title", "one user"]);
  assert.deepEqual(await sessions.where("stove"), ["one assistant"]);
  assert.deepEqual(await sessions.where("samovar"), []);
  assert.deepEqual(await sessions.where("samovar", { tools: true }), ["one tool"]);
  assert.deepEqual(await sessions.where("hiddencontext", { tools: true }), []);
  const [answer] = await sessions.find("stove");
  assert.deepEqual([answer?.title, answer?.cwd, answer?.snippet], [
    "where is the kettle",
    "/ws/one",
    "on the stove",
  ]);
  const [result] = await sessions.find("samovar", { tools: true });
  const [input] = await sessions.find("kitchen.txt", { tools: true });
  assert.equal(result?.number, input?.number, "both belong to the answer that called the tool");

  await sessions.talk("one", "and the teapot", "in the cupboard 櫥櫃裡");
  await sessions.talk("two", "another kettle", "gone");
  assert.deepEqual(await sessions.where("cupboard"), ["one assistant"]);
  assert.deepEqual(await sessions.where("櫃"), ["one assistant"]);
  assert.deepEqual(await sessions.where("kettle"), ["one title", "one user", "two title", "two user"]);
  assert.equal((await sessions.find("kettle", { limit: 1 })).length, 1);
  assert.equal((await sessions.find("kettle"))[0]?.role, "title", "titles weigh more");

  await sessions.change("one", { type: "set_title", title: "Crockery", by: "user" });
  assert.deepEqual(await sessions.where("crockery"), ["one title"]);
  assert.deepEqual(await sessions.where("kettle"), ["one user", "two title", "two user"]);
  assert.deepEqual(sessions.warnings, []);
});

Deno.test("what a rewind took back, a deleted session and an archived one are no longer found", async () => {
  await using sessions = await Sessions.open();
  await sessions.talk("one", "first topic", "apples");
  await sessions.talk("one", "second topic", "pears", { input: "x", result: "plums" });
  await sessions.talk("two", "third topic", "cherries");
  const [second] = await sessions.find("second", {});
  const prompt = (await sessions.find("second topic")).find(({ role }) => role === "user");
  assert.ok(second !== undefined && prompt !== undefined);
  await sessions.change("one", {
    type: "rewind",
    to: prompt.number,
    scope: "conversation",
    snapshot: null,
    changed: 0,
  });
  assert.deepEqual(await sessions.where("second"), []);
  assert.deepEqual(await sessions.where("pears plums", { tools: true }), []);
  assert.deepEqual(await sessions.where("plums", { tools: true }), []);
  assert.deepEqual(await sessions.where("apples"), ["one assistant"]);
  const [apples] = await sessions.find("apples");
  await sessions.talk("one", "instead of it", "oranges");
  await sessions.change("one", {
    type: "rewind",
    to: apples?.number ?? 0,
    scope: "both",
    snapshot: null,
    changed: 0,
  });
  assert.deepEqual(await sessions.where("oranges"), []);
  assert.deepEqual(await sessions.where("apples"), ["one assistant"], "an answer stays");

  await Deno.mkdir(sessions.paths.archiveDir, { recursive: true });
  await Deno.rename(sessions.paths.sessionDir("two"), join(sessions.paths.archiveDir, "two"));
  assert.deepEqual(await sessions.where("cherries"), []);
  assert.deepEqual(await sessions.where("cherries", { archived: true }), ["two assistant"]);
  await Deno.remove(sessions.paths.sessionDir("one"), { recursive: true });
  assert.deepEqual(await sessions.where("apples", { archived: true }), []);
});

Deno.test("redacted and deleted texts leave the index file itself", async () => {
  await using sessions = await Sessions.open();
  for (let index = 0; index < 20; index++) {
    await sessions.talk(`s${index}`, `filler number ${index}`, "filler answer");
  }
  await sessions.talk("one", "keep this xyzzykept", "the xyzzysecret answer");
  await sessions.talk("two", "xyzzydeleted", "gone");
  const [hit] = await sessions.find("xyzzysecret");
  const bytes = async () => new TextDecoder("latin1").decode(await Deno.readFile(sessions.index));
  assert.match(await bytes(), /xyzzysecret/);
  const file = join(sessions.paths.sessionDir("one"), "runtime.sqlite");
  const journal = await openJournal(file, { world: systemWorld });
  await journal.redact({ seqs: [hit?.number ?? 0], reason: "asked for", by: "test" });
  await journal.close();
  await Deno.remove(sessions.paths.sessionDir("two"), { recursive: true });
  assert.deepEqual(await sessions.where("xyzzysecret"), []);
  assert.deepEqual(await sessions.where("xyzzykept"), ["one title", "one user"]);
  const left = await bytes();
  assert.ok(!/xyzzysecret|xyzzydeleted/.test(left));
  assert.match(left, /xyzzykept/);
});

Deno.test("a damaged, foreign or missing index is made again without a word", async () => {
  await using sessions = await Sessions.open();
  for (let index = 0; index < 30; index++) {
    await sessions.talk(`s${index}`, `prompt ${index} kettle`, "answer ".repeat(300));
  }
  const found = await sessions.where("kettle");
  assert.equal(found.length, 60);
  const damages: [string, () => void | Promise<void>][] = [
    ["no database", () => Deno.writeTextFile(sessions.index, "not a database at all".repeat(1000))],
    ["empty", () => Deno.writeTextFile(sessions.index, "")],
    ["missing", () => Deno.remove(sessions.index)],
    [
      "cut off",
      async () => await Deno.truncate(sessions.index, Math.floor((await Deno.stat(sessions.index)).size / 2)),
    ],
    ["pages of zeros", async () => {
      const bytes = await Deno.readFile(sessions.index);
      bytes.fill(0, 4096);
      await Deno.writeFile(sessions.index, bytes);
    }],
    ["another program's", () => {
      Deno.removeSync(sessions.index);
      const db = new DatabaseSync(sessions.index);
      db.exec("CREATE TABLE entries (x); PRAGMA user_version = 1");
      db.close();
    }],
    ["a newer one", () => {
      const db = new DatabaseSync(sessions.index);
      db.exec("PRAGMA user_version = 99");
      db.close();
    }],
  ];
  for (const [what, damage] of damages) {
    await damage();
    assert.deepEqual(await sessions.where("kettle"), found, what);
  }
  assert.deepEqual(sessions.warnings, []);
});

Deno.test("a session that cannot be read is named and the others are searched; a folder that is none is passed over", async () => {
  await using sessions = await Sessions.open();
  await sessions.talk("one", "kettle", "yes");
  await Deno.mkdir(sessions.paths.sessionDir("broken"));
  await Deno.writeTextFile(
    join(sessions.paths.sessionDir("broken"), "runtime.sqlite"),
    "nothing of the kind",
  );
  await Deno.mkdir(sessions.paths.sessionDir("empty"));
  await Deno.mkdir(join(sessions.paths.sessionsDir, ".hidden"));
  assert.deepEqual(await sessions.where("kettle"), ["one title", "one user"]);
  assert.equal(sessions.warnings.length, 1);
  assert.match(sessions.warnings[0] ?? "", /^The session broken cannot be searched: /);
});
