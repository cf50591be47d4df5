import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { systemWorld } from "../../core/base/mod.ts";
import { openJournal, openJournalWorker } from "../../core/journal/mod.ts";
import type { StoredEvent } from "../../core/types/mod.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";

const world = systemWorld;
const CHILD = fileURLToPath(new URL("./journal_kill_child.ts", import.meta.url));
const FRAME = 4096 + 24;
const WAL_HEADER = 32;

/** A journal whose owner was killed, its write-ahead log not yet moved into the file. */
async function killedJournal(
  dir: TempDir,
): Promise<{ db: Uint8Array; wal: Uint8Array; events: StoredEvent[] }> {
  const path = dir.join("source.sqlite");
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--unstable-worker-options", CHILD, path, "0"],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let text = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if ((text.match(/^ack /gm)?.length ?? 0) >= 12) {
      try {
        child.kill("SIGKILL");
      } catch {
        // it has got the signal already; its last output is still coming
      }
    }
  }
  await child.status;
  const db = await Deno.readFile(path);
  const wal = written(await Deno.readFile(`${path}-wal`));
  const journal = await openJournal(path, { world });
  const events = await journal.read();
  await journal.close();
  assert.ok(events.length >= 24);
  return { db, wal, events };
}

/** The frames of a write-ahead log, without the room that was made after them. */
function written(wal: Uint8Array): Uint8Array {
  const last = wal.findLastIndex((byte) => byte !== 0);
  return wal.subarray(0, WAL_HEADER + Math.ceil((last + 1 - WAL_HEADER) / FRAME) * FRAME);
}

/** Opens a copy with this write-ahead log and expects whole appends from the first on. Returns how many events are left. */
async function openWith(
  dir: TempDir,
  db: Uint8Array,
  wal: Uint8Array,
  events: StoredEvent[],
): Promise<number> {
  const path = dir.join("copy.sqlite");
  await Deno.writeFile(path, db);
  await Deno.writeFile(`${path}-wal`, wal);
  const journal = await openJournal(path, { world, create: true });
  const left = await journal.read();
  assert.deepEqual(left, events.slice(0, left.length), "what is left is the beginning of what was there");
  assert.equal(left.length % 2, 0, "no append is left in half");
  assert.deepEqual((await journal.verify()).problems, []);
  await journal.append("session", "any", [{ type: "a.after", version: 1, payload: null }]);
  await journal.close();
  await Deno.remove(path);
  return left.length;
}

Deno.test("a write-ahead log cut anywhere opens at its last whole commit", async () => {
  await using dir = await tempDir();
  const { db, wal, events } = await killedJournal(dir);
  let before = 0;
  for (let length = 0; length < wal.length; length += 1024) {
    const left = await openWith(dir, db, wal.subarray(0, length), events);
    assert.ok(left >= before, `a log of ${length} bytes holds at least what a shorter one holds`);
    before = left;
  }
  assert.equal(await openWith(dir, db, wal, events), events.length);
});

Deno.test("a bit flipped in any frame of the write-ahead log ends it there", async () => {
  await using dir = await tempDir();
  const { db, wal, events } = await killedJournal(dir);
  for (let frame = 0; WAL_HEADER + frame * FRAME < wal.length; frame++) {
    const bytes = wal.slice();
    const place = WAL_HEADER + frame * FRAME + (frame * 977) % FRAME;
    if (place >= bytes.length) break;
    bytes[place]! ^= 1 << (frame % 8);
    await openWith(dir, db, bytes, events);
  }
});

Deno.test("a burst of 100,000 events leaves a small write-ahead log, and rest and closing empty it", async () => {
  await using dir = await tempDir();
  const path = dir.join("runtime.sqlite");
  const worker_url = new URL("../../core/journal/worker.ts", import.meta.url);
  const warnings: string[] = [];
  const journal = openJournalWorker(path, {
    world,
    worker_url,
    create: true,
    warn: ({ message }) => warnings.push(message),
  });
  const event = { type: "a.burst", version: 1, payload: { text: "x".repeat(250) } };
  const part = new Array(1000).fill(event);
  for (let count = 0; count < 100; count++) await journal.append("session", count * 1000, part);
  const { events, wal_bytes } = await journal.stats();
  assert.equal(events, 100_000);
  assert.ok(wal_bytes < 64 * 1024 * 1024, `the log has ${wal_bytes} bytes`);
  // One large commit makes a large log; the next rest, a quarter of a second later, empties it.
  await journal.append("session", "any", new Array(10_000).fill({ ...event, payload: "y".repeat(4_000) }));
  let stats = await journal.stats();
  for (let looks = 0; stats.wal_bytes > 16 * 1024 * 1024; looks++) {
    assert.ok(looks < 200, `the log still has ${stats.wal_bytes} bytes`);
    await world.sleep(50);
    stats = await journal.stats();
  }
  assert.equal(stats.checkpoint?.busy, false);
  assert.equal(stats.checkpoint?.log_pages, stats.checkpoint?.moved_pages);
  assert.deepEqual(warnings, []);
  await journal.close();
  await assert.rejects(Deno.stat(`${path}-wal`), Deno.errors.NotFound);
});

Deno.test("room made in the log of a killed journal is read as its end", async () => {
  await using dir = await tempDir();
  const { db, wal, events } = await killedJournal(dir);
  const roomy = new Uint8Array(wal.length + 1024 * 1024);
  roomy.set(wal);
  assert.equal(await openWith(dir, db, roomy, events), events.length);
});
