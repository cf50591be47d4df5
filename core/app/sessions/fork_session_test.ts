import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { appRootPaths } from "../../app_root/mod.ts";
import { systemWorld as world } from "../../base/mod.ts";
import { openJournal } from "../../journal/mod.ts";
import { Session, sessionEvents } from "../../session/mod.ts";
import type { SessionCommand, SessionState } from "../../session/mod.ts";
import { NO_USAGE } from "../../types/mod.ts";
import { tempDir } from "../../../tests/support/temp_dir.ts";
import { forkSession } from "./fork_session.ts";
import { SessionStore } from "./session_store.ts";

const now = () => world.now();

function answer(text: string): SessionCommand {
  return {
    type: "record_answer",
    model: "m",
    message_id: "id",
    stop: "end_turn",
    message: { role: "assistant", content: [{ type: "text", text }] },
    usage: NO_USAGE,
    cost_usd: null,
    duration_ms: 1,
  };
}

function prompt(text: string): SessionCommand {
  const run_id = `run-${text}`;
  return {
    type: "start_run",
    run_id,
    step_id: `${run_id}-1`,
    prompt: text,
    context: "",
    model: "m",
    mode: "ask",
    tools: [],
  };
}

/** A store with one session of the given prompts and answers, which `more` goes on with. */
async function parentOf(
  root: string,
  texts: readonly string[],
  more: (session: Session) => Promise<void> = async () => {},
) {
  const app_root = appRootPaths(root);
  const store = new SessionStore(app_root, world);
  const parent = store.at("parent");
  await Deno.mkdir(parent.directory, { recursive: true });
  const journal = await openJournal(parent.journal_file, { create: true, world });
  const session = await Session.open(journal, now);
  await session.execute({
    type: "create",
    system: "system",
    session_id: "parent",
    project_id: "p",
    cwd: "/p",
    lumina_version: "0",
    origin: "headless",
  });
  for (const text of texts) await say(session, text);
  await more(session);
  await journal.close();
  let made = 0;
  return {
    store,
    parent,
    async fork(at?: number) {
      const session_id = `fork-${++made}`;
      const result = await forkSession({
        store,
        app_root,
        world,
        parent,
        session_id,
        ...(at === undefined ? {} : { at }),
      });
      return { ...result, state: await store.state(store.at(session_id)) };
    },
  };
}

async function say(session: Session, text: string): Promise<void> {
  await session.execute(prompt(text));
  await session.execute(answer(`re: ${text}`));
  await session.execute({ type: "finish_run", status: "success", denials: 0, duration_ms: 1 });
}

function texts(state: Pick<SessionState, "messages">): string[] {
  return state.messages.map(({ content }) =>
    content.map((block) => "text" in block ? block.text : "").join()
  );
}

Deno.test("a fork at each message of a conversation that went back more than once has exactly what stood before it, also at one that was taken back", async () => {
  await using dir = await tempDir();
  let taken: number[] = [];
  const { store, parent, fork } = await parentOf(dir.path, ["one", "two", "three"], async (session) => {
    taken = [...session.state.origins];
    const back = async (message: number, text: string) => {
      const to = session.state.origins[message]!;
      await session.execute({ type: "rewind", to, scope: "conversation", snapshot: null, changed: 0 });
      await say(session, text);
    };
    await back(4, "three again"); // the third prompt is taken back
    await back(3, "after two"); // the second answer stays
    await back(2, "instead of two");
  });
  const state = await store.state(parent);
  assert.deepEqual(texts(state), ["one", "re: one", "instead of two", "re: instead of two"]);
  const back = await fork(taken.at(-1));
  assert.deepEqual(texts(back.state), ["one", "re: one", "two", "re: two", "three", "re: three"]);
  assert.deepEqual(texts((await fork(taken[4])).state), ["one", "re: one", "two", "re: two"]);
  for (const [index, number] of state.origins.entries()) {
    const kept = state.messages[index]?.role === "user" ? index : index + 1;
    const forked = await fork(number);
    assert.deepEqual(forked.state.messages, state.messages.slice(0, kept));
    assert.equal(forked.state.run, null);
    assert.equal(forked.state.runs >= Math.ceil(kept / 2), true);
  }
  const all = await fork();
  assert.deepEqual(all.state.messages, state.messages, "copied rewinds name the fork's own numbers");
  const first = await fork(state.origins[1]);
  assert.equal(first.state.runs, 1, "what was said and taken back later is no part of it");
});

Deno.test("damaged and redacted events stay behind and are named, those of a newer Lumina come along", async () => {
  await using dir = await tempDir();
  const { store, parent, fork } = await parentOf(dir.path, ["one", "two", "three"]);
  const state = await store.state(parent);
  const journal = await openJournal(parent.journal_file, { world });
  await journal.redact({ seqs: [state.origins[1]!], reason: "a secret", by: "user" });
  const version = await journal.version("session");
  await journal.append("session", version, [{
    type: "session.from_the_future",
    version: 9,
    payload: { a: 1 },
  }]);
  await journal.close();
  const db = new DatabaseSync(parent.journal_file);
  db.prepare("UPDATE events SET payload = '{' WHERE seq = ?").run(state.origins[3]!);
  db.close();
  const forked = await fork();
  assert.deepEqual(forked.skipped.map((line) => /event (\d+)/.exec(line)?.[1]), [
    String(state.origins[1]),
    String(state.origins[3]),
  ]);
  assert.deepEqual(forked.state.messages, (await store.state(parent)).messages);
  const copy = await openJournal(store.at("fork-1").journal_file, { readonly: true, world });
  const events = await copy.read();
  const { ok, problems } = await copy.verify();
  await copy.close();
  assert.ok(ok, problems.join("\n"));
  assert.deepEqual(events.at(-1)?.payload, { a: 1 });
  assert.deepEqual(
    events.flatMap((event) => sessionEvents.decode(event).known ? [] : [event.type]),
    ["session.from_the_future"],
  );
});

Deno.test("a run that is open in the parent is closed in the fork and stays open in the parent", async () => {
  await using dir = await tempDir();
  const { store, parent, fork } = await parentOf(dir.path, ["one"], async (session) => {
    await session.execute(prompt("two"));
  });
  const forked = await fork();
  assert.equal(forked.state.run, null);
  assert.equal(forked.state.last_status, "interrupted");
  assert.match(texts(forked.state).at(-1)!, /the session was forked here/);
  assert.notEqual((await store.state(parent)).run, null);
  assert.deepEqual(forked.state.forked_from, { session_id: "parent", seq: forked.parent_seq });
});
