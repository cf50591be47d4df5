import assert from "node:assert/strict";
import { systemWorld } from "../../core/base/mod.ts";
import { openJournal, readEvents } from "../../core/journal/mod.ts";
import { rejectsWith } from "../conformance/journal_suite.ts";
import { tempDir } from "../support/temp_dir.ts";

const EVENTS = 12_000;

Deno.test("a cursor inside the journal gives exactly the rest, one beyond its end nothing, a bogus one an error", async () => {
  await using dir = await tempDir();
  const journal = await openJournal(dir.join("runtime.sqlite"), { world: systemWorld, create: true });
  await Promise.all(Array.from({ length: EVENTS / 100 }, (_, part) =>
    journal.append(
      part % 2 === 0 ? "session" : "run/1",
      "any",
      Array.from({ length: 100 }, (_, at) => ({ type: "a.step", version: 1, payload: part * 100 + at })),
    )));
  for (const after of [0, 1, 4_999, 5_000, 5_001, 9_999, EVENTS - 1, EVENTS]) {
    const seqs: number[] = [];
    for await (const page of readEvents(journal, { after })) seqs.push(...page.map(({ seq }) => seq));
    assert.deepEqual(
      seqs,
      Array.from({ length: EVENTS - after }, (_, at) => after + 1 + at),
      `after ${after}`,
    );
  }
  for (const after of [EVENTS + 1, 1e9, Number.MAX_SAFE_INTEGER]) {
    assert.deepEqual(await journal.read({ after }), []);
  }
  for (const after of [-1, 0.5, NaN, Infinity]) await rejectsWith(journal.read({ after }), "journal.invalid");
  assert.deepEqual(await journal.read({ after: 0, stream_id: "nobody" }), []);
  await journal.close();
});
