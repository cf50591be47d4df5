import assert from "node:assert/strict";
import { systemWorld } from "../../core/base/mod.ts";
import { type Journal, openJournal, openJournalWorker } from "../../core/journal/mod.ts";
import type { NewEvent } from "../../core/types/mod.ts";
import { rejectsWith } from "../conformance/journal_suite.ts";
import { tempDir } from "../support/temp_dir.ts";

const world = systemWorld;
const worker_url = new URL("../../core/journal/worker.ts", import.meta.url);
const EFFECT: NewEvent = { type: "a.effect", version: 1, payload: "once" };
const ASKED = { key: "submit-1", request_hash: "body-1", result: { answer: 42 } };

const ways: [name: string, open: (path: string) => Promise<Journal>][] = [
  ["in one thread", (path) => openJournal(path, { world, create: true })],
  [
    "through the worker",
    (path) => Promise.resolve(openJournalWorker(path, { world, worker_url, create: true })),
  ],
];

for (const [name, open] of ways) {
  Deno.test(`the same key again, one after the other and at once, is one effect and one answer (${name})`, async () => {
    await using dir = await tempDir();
    const path = dir.join("runtime.sqlite");
    let journal = await open(path);
    const all = await Promise.all(
      Array.from({ length: 20 }, () => journal.append("session", "any", [EFFECT], ASKED)),
    );
    const later = await journal.append("session", "any", [EFFECT], ASKED);
    assert.deepEqual([...all, later].map(({ replayed }) => replayed), [false, ...Array(20).fill(true)]);
    for (const { last_seq, result } of [...all, later]) {
      assert.deepEqual([last_seq, result], [1, { answer: 42 }]);
    }
    await journal.close();

    journal = await open(path);
    const restarted = await journal.append("session", 0, [EFFECT], ASKED);
    assert.deepEqual(
      [restarted.replayed, restarted.result],
      [true, { answer: 42 }],
      "a new process answers the same",
    );
    await rejectsWith(
      journal.append("session", "any", [EFFECT], { ...ASKED, request_hash: "body-2" }),
      "journal.conflict",
    );
    assert.equal(await journal.head(), 1);
    await journal.close();
  });
}

Deno.test("of two bodies that race under one key one wins and the other is a conflict", async () => {
  await using dir = await tempDir();
  const journal = await openJournal(dir.join("runtime.sqlite"), { world, create: true });
  const bodies = ["one", "two"].map((payload): NewEvent => ({ ...EFFECT, payload }));
  const results = await Promise.allSettled(
    bodies.map((event) => journal.append("session", "any", [event], { key: "k" })),
  );
  assert.deepEqual(results.map(({ status }) => status), ["fulfilled", "rejected"]);
  assert.equal(await journal.head(), 1);
  await journal.close();
});
