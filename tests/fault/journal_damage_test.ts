import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { LuminaError, sha256, systemWorld } from "../../core/base/mod.ts";
import { DAMAGED_EVENT, openJournal } from "../../core/journal/mod.ts";
import type { NewEvent, StoredEvent } from "../../core/types/mod.ts";
import { rejectsWith } from "../conformance/journal_suite.ts";
import { tempDir } from "../support/temp_dir.ts";

const world = systemWorld;
const LONG = "z".repeat(30_000);

function event(payload: string): NewEvent {
  return { type: "a.step", version: 1, payload };
}

/** A closed journal of 12 events in two streams; the payload of event 6 lies in a blob. */
async function makeJournal(path: string): Promise<void> {
  const journal = await openJournal(path, { world, create: true });
  for (let index = 1; index <= 12; index++) {
    await journal.append(index % 3 === 0 ? "other" : "session", "any", [
      event(index === 6 ? LONG : `p${index}`),
    ]);
  }
  await journal.putCheckpoint({ name: "fold", stream_id: "session", seq: 10, state: { n: 10 } });
  await journal.close();
}

/** Changes the closed file behind the journal's back. */
function tamper(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

async function problemsOf(path: string): Promise<string[]> {
  const journal = await openJournal(path, { world, readonly: true });
  try {
    const report = await journal.verify();
    assert.equal(report.ok, report.problems.length === 0);
    return report.problems;
  } finally {
    await journal.close();
  }
}

const LONG_HASH = sha256(JSON.stringify(LONG));

const CUTS: [claim: string, sql: string, problem: RegExp][] = [
  [
    "a changed payload",
    "UPDATE events SET payload = '\"q4\"' WHERE seq = 4",
    /^event 4: the payload is damaged$/,
  ],
  ["a changed type", "UPDATE events SET type = 'b.step' WHERE seq = 4", /^event 4: the chain is broken$/],
  [
    "a changed hash",
    `UPDATE events SET payload_hash = '${"0".repeat(64)}' WHERE seq = 4`,
    /^event 4: the chain/,
  ],
  [
    "a changed chain value",
    `UPDATE events SET chain = '${"0".repeat(64)}' WHERE seq = 4`,
    /^event 4: the chain/,
  ],
  ["a missing event", "DELETE FROM events WHERE seq = 4", /^event 4 is missing$/],
  ["a missing first event", "DELETE FROM events WHERE seq = 1", /^event 1 is missing$/],
  ["several missing events", "DELETE FROM events WHERE seq IN (4, 5)", /^events 4 to 5 are missing$/],
  [
    "a missing last event",
    "DELETE FROM events WHERE seq = 12",
    /^the last commit ended with event 12, .* is 11$/,
  ],
  [
    "a missing event whose successors moved up",
    "DELETE FROM events WHERE seq = 12; UPDATE meta SET value = '11 x' WHERE key = 'head'",
    /^event 11: it is not the one/,
  ],
  [
    "a gap in a stream",
    "UPDATE events SET stream_seq = 90 WHERE seq = 11",
    /^event 11: it is number 90 of "session", not 8$/,
  ],
  [
    "a payload that is gone",
    "UPDATE events SET payload = NULL WHERE seq = 4",
    /^event 4: the payload is gone$/,
  ],
  ["a missing blob", "DELETE FROM blobs", /^event 6: the blob [0-9a-f]{64} is missing$/],
  ["a changed blob", "UPDATE blobs SET bytes = x'00'", /^blob [0-9a-f]{64} is damaged$/],
  ["a changed checkpoint", "UPDATE checkpoints SET state = '{}'", /^checkpoint "fold" is damaged$/],
];

for (const [claim, sql, problem] of CUTS) {
  Deno.test(`verify() names ${claim}`, async () => {
    await using dir = await tempDir();
    const path = dir.join("runtime.sqlite");
    await makeJournal(path);
    assert.deepEqual(await problemsOf(path), []);
    tamper(path, sql);
    const problems = await problemsOf(path);
    assert.ok(problems.some((line) => problem.test(line)), problems.join("\n"));
  });
}

Deno.test("a journal with missing events is refused for writing and still readable", async () => {
  for (const gone of [4, 12]) {
    await using dir = await tempDir();
    const path = dir.join("runtime.sqlite");
    await makeJournal(path);
    tamper(path, `DELETE FROM events WHERE seq = ${gone}`);
    const error = await rejectsWith(openJournal(path, { world }), "journal.corrupt");
    assert.match(error.message, /read-only/);
    const journal = await openJournal(path, { world, readonly: true });
    assert.equal((await journal.read()).length, 11);
    await journal.close();
  }
});

Deno.test("an event whose payload is damaged is read as damaged, and the rest as it was", async () => {
  const damages: [sql: string, seq: number, problem: RegExp][] = [
    [`UPDATE events SET payload = '"p4' WHERE seq = 4`, 4, /payload is damaged/],
    ["DELETE FROM blobs", 6, /blob .* is missing/],
    ["UPDATE blobs SET bytes = x'2222'", 6, /blob .* is damaged/],
  ];
  for (const [sql, seq, problem] of damages) {
    await using dir = await tempDir();
    const path = dir.join("runtime.sqlite");
    await makeJournal(path);
    tamper(path, sql);
    const journal = await openJournal(path, { world });
    const events = await journal.read();
    assert.equal(events.length, 12);
    for (const found of events) {
      if (found.seq !== seq) assert.equal(found.payload, found.seq === 6 ? LONG : `p${found.seq}`);
    }
    const { type, version, payload } = events[seq - 1] as StoredEvent & { payload: { problem: string } };
    assert.deepEqual([type, version], [DAMAGED_EVENT, 1]);
    assert.match(payload.problem, problem);
    assert.equal((await journal.append("session", "any", [event("after")])).last_seq, 13);
    await journal.close();
  }
});

Deno.test("a blob with other bytes is never handed out, and healed by putting it again", async () => {
  await using dir = await tempDir();
  const path = dir.join("runtime.sqlite");
  await makeJournal(path);
  tamper(path, "UPDATE blobs SET bytes = x'00'");
  const journal = await openJournal(path, { world });
  await rejectsWith(journal.getBlob(LONG_HASH), "journal.corrupt");
  const bytes = new TextEncoder().encode(JSON.stringify(LONG));
  assert.equal(await journal.putBlob(bytes), LONG_HASH);
  assert.deepEqual(await journal.getBlob(LONG_HASH), bytes);
  assert.deepEqual(await journal.verify(), { ok: true, events: 12, problems: [] });
  await journal.close();
});

Deno.test("a damaged checkpoint counts as none", async () => {
  await using dir = await tempDir();
  const path = dir.join("runtime.sqlite");
  await makeJournal(path);
  tamper(path, "UPDATE checkpoints SET state = '{}'");
  const journal = await openJournal(path, { world });
  assert.equal(await journal.checkpoint("fold"), undefined);
  await journal.close();
});

Deno.test("a flipped byte anywhere in the file is found at opening or by verify()", async () => {
  await using dir = await tempDir();
  const path = dir.join("runtime.sqlite");
  await makeJournal(path);
  const whole = await Deno.readFile(path);
  const victim = dir.join("victim.sqlite");
  const reference = timeless(await readAll(path));
  let found = 0;
  // A prime step, so that every kind of place is met.
  for (let place = 0; place < whole.length; place += 397) {
    const bytes = whole.slice();
    bytes[place]! ^= 0x5a;
    await Deno.writeFile(victim, bytes);
    try {
      const journal = await openJournal(victim, { world });
      try {
        const report = await journal.verify();
        if (!report.ok) found++;
        // Unused space, spare header bytes and the time for people may change without a trace; events may not.
        else {assert.deepEqual(
            timeless(await journal.read()),
            reference,
            `byte ${place} changed the events unseen`,
          );}
      } finally {
        await journal.close().catch(rethrowUnlessJournal);
      }
    } catch (error) {
      rethrowUnlessJournal(error);
      found++;
    }
    await Deno.remove(`${victim}-wal`).catch(() => {}); // left behind when the damaged file could not be closed well
  }
  assert.ok(found > 5, `only ${found} flips were found`);
});

async function readAll(path: string): Promise<StoredEvent[]> {
  const journal = await openJournal(path, { world });
  const events = await journal.read();
  await journal.close();
  return events;
}

/** The events without their time, which no hash covers. */
function timeless(events: StoredEvent[]): StoredEvent[] {
  return events.map((event) => ({ ...event, ts: 0 }));
}

/** Damage may only show as an error of the journal. */
function rethrowUnlessJournal(error: unknown): void {
  if (!(error instanceof LuminaError && error.code.startsWith("journal."))) throw error;
}
