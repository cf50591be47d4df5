// deno-lint-ignore-file no-sync-fn-in-async-fn -- small files are damaged one after the other
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { sha256, systemWorld } from "../base/mod.ts";
import type { NewEvent, StoredEvent } from "../types/mod.ts";
import { DAMAGED_EVENT } from "./journal.ts";
import { openJournal } from "./open_journal.ts";
import { finishRepair, isHalfRepaired, repairJournal } from "./repair_journal.ts";
import { openRescue, type Rescued } from "./rescue_journal.ts";

const world = systemWorld;
const PAGE = 4096;
const EVENTS = 400;
const LONG = "z".repeat(30_000);

function step(payload: string): NewEvent {
  return { type: "a.step", version: 1, payload };
}

/** A closed journal of many pages: 400 events in two streams under keys, one of them in a blob. */
async function makeJournal(path: string): Promise<StoredEvent[]> {
  const journal = await openJournal(path, { world, create: true });
  await Promise.all(Array.from({ length: EVENTS }, (_, at) => {
    const index = at + 1;
    const payload = index === 6 ? LONG : index % 100 === 0 ? "y".repeat(9_000) : `p${index}`.repeat(20);
    return journal.append(index % 3 === 0 ? "other" : "session", "any", [step(payload)], {
      key: `key-${index}`,
    });
  }));
  const events = await journal.read();
  await journal.close();
  return events;
}

interface Place extends AsyncDisposable {
  path: string;
  dir: string;
}

async function place(): Promise<Place> {
  const dir = await Deno.makeTempDir({ prefix: "lumina-repair-" });
  return {
    dir,
    path: `${dir}/runtime.sqlite`,
    [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }),
  };
}

async function repaired(path: string, at_least = 0): Promise<{ rescued: Rescued; events: StoredEvent[] }> {
  const backup_dir = `${path}-backup`;
  const before = Deno.readFileSync(path);
  const rescued = await repairJournal(path, {
    world,
    backup_dir,
    at_least,
    placeholder: (lost) => ({ type: "a.lost", version: 1, payload: lost }),
    note: ({ lost }) => ({ stream_id: "session", event: { type: "a.repaired", version: 1, payload: lost } }),
  });
  assert.deepEqual(Deno.readFileSync(`${backup_dir}/runtime.sqlite`), before, "the backup is what was there");
  assert.deepEqual([...Deno.readDirSync(backup_dir)].filter(({ name }) => name.startsWith("work-")), []);
  for (const left of [".repairing", ".repaired", ".damaged", "-wal", "-shm"]) {
    assert.throws(() => Deno.statSync(path + left), Deno.errors.NotFound, left);
  }
  const journal = await openJournal(path, { world });
  const events = await journal.read();
  assert.deepEqual((await journal.verify()).problems, []);
  await journal.close();
  assert.deepEqual(events.map(({ seq }) => seq), events.map((_, at) => at + 1));
  assert.deepEqual(events.at(-1)?.type, "a.repaired");
  return { rescued, events };
}

/** Saved events are what they were, under their old numbers; the rest are placeholders. */
function assertSaved(events: readonly StoredEvent[], whole: readonly StoredEvent[]): number {
  let lost = 0;
  for (const event of events.slice(0, whole.length)) {
    const was = whole[event.seq - 1]!;
    if (event.type === "a.lost") lost++;
    else assert.deepEqual([event.payload, event.ts, event.stream_id], [was.payload, was.ts, was.stream_id]);
  }
  return lost;
}

/** The number of the first page that an object's content begins in, and all pages with rows of the table of events. */
function rootOf(path: string, name: string): number {
  const db = new DatabaseSync(path, { readOnly: true });
  const root = Number(db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name)?.rootpage);
  db.close();
  return root;
}

function overwrite(path: string, page: number, bytes: Uint8Array): void {
  const file = Deno.openSync(path, { write: true });
  file.seekSync((page - 1) * PAGE, Deno.SeekMode.Start);
  file.writeSync(bytes);
  file.close();
}

const NOISE = new Uint8Array(PAGE).map((_, at) => (at * 167 + 91) & 255);

/** Pages that are leaves of a table (13) or of an index (10). */
function pagesOfType(path: string, type: number): number[] {
  const bytes = Deno.readFileSync(path);
  const found: number[] = [];
  for (let page = 2; page * PAGE <= bytes.length; page++) {
    if (bytes[(page - 1) * PAGE] === type) found.push(page);
  }
  return found;
}

Deno.test("a damaged page of events costs the events on it and no others", async () => {
  await using at = await place();
  const whole = await makeJournal(at.path);
  const leaf = pagesOfType(at.path, 13).find((page) =>
    new TextDecoder("latin1").decode(
      Deno.readFileSync(at.path).subarray((page - 1) * PAGE, page * PAGE),
    ).includes("p150p150")
  )!;
  overwrite(at.path, leaf, NOISE);
  const { rescued, events } = await repaired(at.path);
  const lost = assertSaved(events, whole);
  assert.ok(lost > 0 && lost < 20, `${lost} lost`);
  assert.equal(rescued.saved, EVENTS - lost);
  assert.equal(rescued.events, EVENTS);
  assert.match(rescued.lost[0]!, /^events \d+ to \d+: it cannot be read$/);
  assert.ok(
    events.some((event) => event.type === "a.lost" && event.stream_id === "other"),
    "the index knows the stream",
  );
});

for (
  const name of [
    "events",
    "sqlite_autoindex_events_1",
    "meta",
    "blobs",
    "commands",
    "sqlite_autoindex_blobs_1",
  ]
) {
  Deno.test(`a damaged root page of ${name} loses no event`, async () => {
    await using at = await place();
    const whole = await makeJournal(at.path);
    overwrite(at.path, rootOf(at.path, name), NOISE);
    const { rescued, events } = await repaired(at.path);
    // the only blob may lie on that page
    const most = name === "blobs" ? 1 : 0;
    assert.ok(assertSaved(events, whole) <= most, rescued.lost.join("\n"));
  });
}

Deno.test("every damaged page of an index is made anew without a loss", async () => {
  await using at = await place();
  const whole = await makeJournal(at.path);
  for (const page of pagesOfType(at.path, 10)) {
    if (page !== rootOf(at.path, "meta")) overwrite(at.path, page, NOISE);
  }
  const { events } = await repaired(at.path);
  assert.equal(assertSaved(events, whole), 0);
  const journal = await openJournal(at.path, { world });
  const again = await journal.append("session", "any", [step("p7".repeat(20))], {
    key: "key-7",
    request_hash: "x",
  })
    .catch((error) => error.code);
  assert.equal(again, "journal.conflict", "a saved key still guards");
  await journal.close();
});

const HEADS: [what: string, change: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>][] = [
  ["magic text", (bytes) => (bytes.fill(0, 0, 16), bytes)],
  ["whole header", (bytes) => (bytes.fill(255, 0, 100), bytes)],
  ["first page", (bytes) => (bytes.set(NOISE, 0), bytes)],
  ["size field", (bytes) => (bytes.fill(127, 28, 32), bytes)],
];
for (const [what, change] of HEADS) {
  Deno.test(`a damaged ${what} loses nothing`, async () => {
    await using at = await place();
    const whole = await makeJournal(at.path);
    Deno.writeFileSync(at.path, change(Deno.readFileSync(at.path)));
    const { rescued, events } = await repaired(at.path);
    assert.equal(assertSaved(events, whole), 0, rescued.lost.join("\n"));
    assert.ok(
      rescued.notes.some((note) => /header|first page|searched/.test(note)),
      rescued.notes.join("\n"),
    );
  });
}

Deno.test("a truncated file keeps what lies before the cut, and says how much is known to be missing", async () => {
  await using at = await place();
  const whole = await makeJournal(at.path);
  const size = Deno.statSync(at.path).size;
  Deno.truncateSync(at.path, Math.floor(size / 2) + 1234);
  const { rescued, events } = await repaired(at.path, EVENTS);
  assert.equal(rescued.events, EVENTS);
  const lost = assertSaved(events, whole);
  assert.ok(rescued.saved > 50 && lost === EVENTS - rescued.saved, `${rescued.saved} saved`);
});

Deno.test("a damaged or missing blob costs the event that needs it", async () => {
  for (const sql of ["UPDATE blobs SET bytes = x'00' WHERE rowid = 1", "DELETE FROM blobs WHERE rowid = 1"]) {
    await using at = await place();
    const whole = await makeJournal(at.path);
    const db = new DatabaseSync(at.path);
    db.exec(sql);
    db.close();
    const { rescued, events } = await repaired(at.path);
    assert.equal(assertSaved(events, whole), 1);
    assert.match(rescued.lost.join(), /^event 6 \(a.step\): the blob [0-9a-f]{64} of its payload is missing/);
  }
});

Deno.test("a broken chain, a wrong head and a changed payload hash are mended and told", async () => {
  await using at = await place();
  const whole = await makeJournal(at.path);
  const db = new DatabaseSync(at.path);
  db.exec(`UPDATE events SET chain = '${"0".repeat(64)}' WHERE seq = 10;
    UPDATE events SET payload_hash = '${sha256("x")}' WHERE seq = 20;
    UPDATE events SET payload = '"forged"' WHERE seq = 30;
    UPDATE meta SET value = '12 x' WHERE key = 'head'`);
  db.close();
  const { rescued, events } = await repaired(at.path);
  assert.equal(assertSaved(events, whole), 1);
  assert.deepEqual(rescued.lost, ["event 30 (a.step): its payload is damaged"]);
  assert.match(rescued.notes.join("\n"), /event 10: the chain was broken/);
  assert.match(rescued.notes.join("\n"), /event 20: the hash of its payload/);
});

Deno.test("a flipped bit in the write-ahead log loses nothing that was committed behind it", async () => {
  await using at = await place();
  const journal = await openJournal(at.path, { world, create: true });
  for (let index = 1; index <= 40; index++) {
    await journal.append("session", index - 1, [step(`w${index}`.repeat(100))]);
  }
  const whole = await journal.read();
  // what a killed owner leaves: copied while it is open, by another process
  const victim = `${at.dir}/victim.sqlite`;
  for (const part of ["", "-wal"]) {
    assert.ok((await new Deno.Command("cp", { args: [at.path + part, victim + part] }).output()).success);
  }
  await journal.close();
  const wal = Deno.readFileSync(`${victim}-wal`);
  wal[32 + 20 * (24 + PAGE) + 2000]! ^= 4;
  Deno.writeFileSync(`${victim}-wal`, wal);
  const { rescued, events } = await repaired(victim, 40);
  assert.equal(assertSaved(events, whole), 0, rescued.lost.join("\n"));
});

Deno.test("what holds nothing of a journal is refused and left as it is", async () => {
  const files: [content: () => Uint8Array<ArrayBuffer>, said: RegExp][] = [
    [() => new Uint8Array(), /it is empty \(0 bytes\)/],
    [() => crypto.getRandomValues(new Uint8Array(20_000)), /nothing of a journal can be found/],
    [() => new TextEncoder().encode("not a database"), /nothing of a journal can be found/],
    [() => {
      const other = Deno.makeTempFileSync();
      const db = new DatabaseSync(other);
      db.exec("CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES ('one')");
      db.close();
      const bytes = Deno.readFileSync(other);
      Deno.removeSync(other);
      return bytes;
    }, /is no Lumina journal: another program wrote it/],
  ];
  for (const [content, said] of files) {
    await using at = await place();
    const bytes = content();
    Deno.writeFileSync(at.path, bytes);
    await assert.rejects(repaired(at.path), said);
    assert.deepEqual(Deno.readFileSync(at.path), bytes);
    assert.deepEqual([...Deno.readDirSync(at.dir)].map(({ name }) => name), ["runtime.sqlite"]);
  }
});

Deno.test("a journal that a process owns is not repaired", async () => {
  await using at = await place();
  await makeJournal(at.path);
  const owner = await openJournal(at.path, { world });
  await assert.rejects(repaired(at.path), { code: "journal.busy", exit: 5 });
  await owner.close();
});

Deno.test("a repair that was cut off while the new file took its place is finished", async () => {
  await using at = await place();
  await makeJournal(at.path);
  Deno.renameSync(at.path, `${at.path}.repaired`);
  Deno.writeTextFileSync(`${at.path}.damaged`, "old");
  Deno.writeTextFileSync(`${at.path}-wal`, "old log");
  assert.equal(isHalfRepaired(at.path), true);
  assert.equal(finishRepair(at.path), true);
  assert.deepEqual([...Deno.readDirSync(at.dir)].map(({ name }) => name), ["runtime.sqlite"]);
  const journal = await openJournal(at.path, { world });
  assert.equal(await journal.head(), EVENTS);
  await journal.close();
  assert.equal(finishRepair(at.path), false);
});

Deno.test("a repair that fails when the new file has its place keeps the copy of the damaged one", async () => {
  await using at = await place();
  await makeJournal(at.path);
  overwrite(at.path, pagesOfType(at.path, 13)[0]!, NOISE);
  const damaged = Deno.readFileSync(at.path);
  await Deno.mkdir(`${at.path}.repaired-wal/in the way`, { recursive: true });
  await assert.rejects(repaired(at.path));
  assert.deepEqual(Deno.readFileSync(`${at.path}-backup/runtime.sqlite`), damaged);
  const journal = await openJournal(at.path, { world, readonly: true });
  assert.deepEqual((await journal.verify()).problems, [], "the new one is whole");
  await journal.close();
});

Deno.test("a rescue reads the intact part and changes no byte", async () => {
  await using at = await place();
  const whole = await makeJournal(at.path);
  overwrite(at.path, rootOf(at.path, "sqlite_autoindex_events_1"), NOISE);
  overwrite(at.path, pagesOfType(at.path, 13)[5]!, NOISE);
  const before = Deno.readFileSync(at.path);
  const names = [...Deno.readDirSync(at.dir)].map(({ name }) => name);
  const { journal, rescued } = openRescue(at.path, { world, work_dir: at.dir });
  const events = await journal.read({ limit: 5000 });
  assert.equal(events.length, EVENTS);
  const damaged = events.filter(({ type }) => type === DAMAGED_EVENT).length;
  assert.equal(rescued.saved, EVENTS - damaged);
  for (const event of events) {
    if (event.type !== DAMAGED_EVENT) assert.deepEqual(event.payload, whole[event.seq - 1]!.payload);
  }
  await assert.rejects(journal.append("session", "any", [step("no")]), { code: "journal.readonly" });
  await journal.close();
  assert.deepEqual(Deno.readFileSync(at.path), before);
  assert.deepEqual([...Deno.readDirSync(at.dir)].map(({ name }) => name), names);
});
