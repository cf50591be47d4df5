import assert from "node:assert/strict";
import fc from "fast-check";
import { systemWorld } from "../base/mod.ts";
import { openJournal } from "../journal/mod.ts";
import type { Journal } from "../journal/mod.ts";
import type { NewEvent, StoredEvent } from "../types/mod.ts";
import { evolve } from "./evolve.ts";
import { foldSession } from "./fold_session.ts";
import { everydaySession, generatedSession } from "./generated_session_testing.ts";
import { Session } from "./session.ts";
import { getSnapshot, putSnapshot } from "./snapshot.ts";
import { emptySession } from "./state.ts";

/** A journal in memory is enough where only reading back is asked: the checkpoint goes through JSON as on disk. */
function memoryJournal(events: readonly StoredEvent[]): Journal {
  let checkpoint = "null";
  return {
    read: ({ after = 0, limit = 1000 } = {}) =>
      Promise.resolve(structuredClone(events.filter(({ seq }) => seq > after).slice(0, limit))),
    checkpoint: () => Promise.resolve(JSON.parse(checkpoint) ?? undefined),
    putCheckpoint: (given: unknown) => Promise.resolve(void (checkpoint = JSON.stringify(given))),
  } as unknown as Journal;
}

function fold(events: readonly StoredEvent[]) {
  return structuredClone(events).reduce((state, event) => evolve(state, event), emptySession());
}

const history = fc.array(fc.nat(), { minLength: 1, maxLength: 120 });

Deno.test("a fold from a snapshot has the result of the full fold, wherever the snapshot was taken", async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.nat(), async (choices, place) => {
      const events = generatedSession(choices);
      const at = 1 + place % events.length;
      const journal = memoryJournal(events);
      await putSnapshot(journal, { state: fold(events.slice(0, at)), skipped: ["one"] });
      const resumed = await foldSession(journal);
      assert.deepEqual(resumed, { state: fold(events), skipped: ["one"], from: at });
    }),
    { numRuns: 150 },
  );
});

Deno.test("a snapshot of another event, another fold or a damaged event is not used", async () => {
  const events = everydaySession(2);
  const state = fold(events);
  const changed = structuredClone(events);
  changed.at(-1)!.ts++;
  const journal = memoryJournal(events);
  await putSnapshot(journal, { state, skipped: [] });
  const stored = (await journal.checkpoint("session"))!;
  const elsewhere = memoryJournal(changed);
  await elsewhere.putCheckpoint(stored);
  assert.equal(await getSnapshot(elsewhere), undefined);
  assert.deepEqual((await foldSession(elsewhere)).from, 0);

  await journal.putCheckpoint({ ...stored, state: { ...stored.state as object, fold: "0-older" } });
  assert.equal(await getSnapshot(journal), undefined);

  const damaged = structuredClone(events);
  damaged.at(-1)!.type = "journal.damaged";
  damaged.at(-1)!.payload = { type: "run.finished", version: 1, problem: "gone" };
  const broken = memoryJournal(damaged);
  await putSnapshot(broken, { state, skipped: [] });
  assert.equal(await broken.checkpoint("session"), undefined, "nothing to bind it to");
});

Deno.test("snapshot() stores one when much has happened, and a damaged one is passed over", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const path = `${directory}/runtime.sqlite`;
    const events = everydaySession(150);
    const journal = await openJournal(path, { create: true, world: systemWorld });
    for (const event of events) void journal.append(event.stream_id, "any", [bare(event)]);
    await journal.append("session", "any", [bare(events[1]!)]);
    const session = await Session.open(journal, () => 1);
    assert.equal(await journal.checkpoint("session"), undefined, "reading alone stores nothing");
    await session.snapshot();
    const stored = await journal.checkpoint("session");
    assert.equal(stored?.seq, session.state.seq);
    await session.execute({ type: "set_title", title: "after", by: "user" });
    await session.snapshot();
    assert.equal((await journal.checkpoint("session"))?.seq, stored?.seq, "too little has happened since");
    const state = { ...session.state, updated_ts: 0 };

    assert.deepEqual({ ...(await foldSession(journal)).state, updated_ts: 0 }, state);
    await journal.putCheckpoint({ ...stored!, state: { fold: "nonsense" } });
    const whole = await foldSession(journal);
    assert.deepEqual([whole.from, { ...whole.state, updated_ts: 0 }], [0, state]);
    await journal.close();
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

function bare({ type, version, payload, run_id, step_id }: StoredEvent): NewEvent {
  return {
    type,
    version,
    payload,
    ...(run_id === undefined ? {} : { run_id }),
    ...(step_id === undefined ? {} : { step_id }),
  };
}
