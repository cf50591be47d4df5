import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemWorld, type World } from "../../core/base/mod.ts";
import { openJournal, openJournalWorker } from "../../core/journal/mod.ts";
import { rejectsWith } from "../conformance/journal_suite.ts";
import { tempDir } from "../support/temp_dir.ts";

const world = systemWorld;
const CHILD = fileURLToPath(new URL("./journal_owner_child.ts", import.meta.url));
const worker_url = new URL("../../core/journal/worker.ts", import.meta.url);

/** Where the owner's notes of a journal lie. */
function notes(path: string): string {
  return join(dirname(path), "owners");
}

/** A process that opens the journal: what it said, and how to end it. */
async function owner(path: string) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", CHILD, path, notes(path)],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = await reader.read();
  const end = async () => {
    await child.status;
    while (!(await reader.read()).done);
  };
  return {
    pid: child.pid,
    said: value?.trim(),
    async close() {
      await child.stdin.close();
      await end();
    },
    async kill() {
      child.kill("SIGKILL");
      await child.stdin.abort().catch(() => {}); // the pipe may be broken already
      await end();
    },
  };
}

Deno.test("a second process gets journal.busy at once while the owner lives, and the file when it is dead", async () => {
  await using dir = await tempDir();
  const path = dir.join("runtime.sqlite");
  const first = await owner(path);
  assert.equal(first.said, "open");
  const impatient: World = { ...world, sleep: () => assert.fail("an owner is not waited for") };
  await rejectsWith(openJournal(path, { world: impatient }), "journal.busy");
  await rejectsWith(openJournal(path, { world: impatient, readonly: true }), "journal.busy");
  const worker = openJournalWorker(path, { world, worker_url });
  await rejectsWith(worker.head(), "journal.busy");
  await rejectsWith(
    worker.append("session", 0, [{ type: "a.b", version: 1, payload: null }]),
    "journal.busy",
  );
  await worker.close();
  await first.kill();
  const journal = await openJournal(path, { world });
  assert.equal(await journal.head(), 0);
  await journal.close();
});

Deno.test("a journal opened twice in one process is busy as well", async () => {
  await using dir = await tempDir();
  const path = dir.join("runtime.sqlite");
  const journal = await openJournal(path, { world, create: true });
  await rejectsWith(openJournal(path, { world }), "journal.busy");
  await journal.append("session", 0, [{ type: "a.b", version: 1, payload: null }]);
  await journal.close();
});

Deno.test("of several processes that open a journal at the same time exactly one owns it", async () => {
  for (let round = 0; round < 3; round++) {
    await using dir = await tempDir();
    const path = dir.join("runtime.sqlite");
    const owners = await Promise.all(Array.from({ length: 4 }, () => owner(path)));
    assert.deepEqual(owners.map(({ said }) => said).toSorted(), [
      "journal.busy",
      "journal.busy",
      "journal.busy",
      "open",
    ]);
    await Promise.all(owners.map(({ close }) => close()));
  }
});

Deno.test("an owner waits for a reader to go", async () => {
  await using dir = await tempDir();
  const path = dir.join("runtime.sqlite");
  await (await openJournal(path, { world, create: true })).close();
  const reader = await openJournal(path, { world, readonly: true });
  let waits = 0;
  const patient: World = {
    ...world,
    async sleep() {
      waits++;
      await reader.close();
    },
  };
  const journal = await openJournal(path, { world: patient });
  assert.equal(waits, 1);
  await journal.close();
});

Deno.test("whoever finds a journal open is told by which process, where and since when", async () => {
  await using dir = await tempDir();
  const path = dir.join("runtime.sqlite");
  const before = Date.now();
  const first = await owner(path);
  const place = { owner: { dir: notes(path), name: "journal" } };
  const worker = openJournalWorker(path, { world, worker_url, ...place });
  const openings = [
    openJournal(path, { world, ...place }),
    openJournal(path, { world, readonly: true, ...place }),
    worker.head(),
    worker.append("session", 0, [{ type: "a.b", version: 1, payload: null }]),
  ];
  for (const opening of openings) {
    const { message, details } = await rejectsWith(opening, "journal.busy");
    assert.equal(details["pid"], first.pid);
    assert.equal(details["host"], Deno.hostname());
    const since = Number(details["since"]);
    assert.ok(since >= before && since <= Date.now());
    assert.ok(message.includes(`process ${first.pid} on ${Deno.hostname()}`), message);
    assert.ok(message.includes(new Date(since).toISOString()), message);
  }
  await worker.close();
  await first.close();
  await assert.rejects(Deno.stat(join(notes(path), "journal.json")), Deno.errors.NotFound);
});

Deno.test("a note keeps nobody out: its process is dead, its number is another's now, or it is no note", async () => {
  await using dir = await tempDir();
  const path = dir.join("runtime.sqlite");
  const place = { owner: { dir: notes(path), name: "journal" } };
  const file = join(notes(path), "journal.json");
  const first = await owner(path);
  const left = JSON.parse(await Deno.readTextFile(file));
  await first.kill();
  assert.equal(JSON.parse(await Deno.readTextFile(file)).pid, first.pid, "it stays when its owner is killed");
  const holder = await openJournal(path, { world, create: true }); // leaves no note, so the old one stays
  try {
    const reused = { ...left, pid: Deno.pid, started: "1" };
    for (const text of [JSON.stringify(left), JSON.stringify(reused), "{", '{"pid":1}', "null"]) {
      await Deno.writeTextFile(file, text);
      const { message, details } = await rejectsWith(openJournal(path, { world, ...place }), "journal.busy");
      assert.match(message, /another process has it open/);
      assert.deepEqual(details, {});
    }
    await Deno.writeTextFile(file, JSON.stringify({ ...left, host: "elsewhere" }));
    const { message } = await rejectsWith(openJournal(path, { world, ...place }), "journal.busy");
    assert.match(message, /on elsewhere has it open/, "another host's process cannot be looked at");
  } finally {
    await holder.close();
  }
  const taken = await openJournal(path, { world, ...place });
  assert.equal(JSON.parse(await Deno.readTextFile(file)).pid, Deno.pid);
  const { message } = await rejectsWith(openJournal(path, { world, ...place }), "journal.busy");
  assert.match(message, /this process has it open since/);
  await taken.close();
});

Deno.test("a folder for notes that cannot be made keeps nobody from working", async () => {
  await using dir = await tempDir();
  const path = dir.join("runtime.sqlite");
  await dir.write("owners", "a file");
  const place = { owner: { dir: notes(path), name: "journal" } };
  const journal = await openJournal(path, { world, create: true, ...place });
  await journal.append("session", 0, [{ type: "a.b", version: 1, payload: null }]);
  await rejectsWith(openJournal(path, { world, ...place }), "journal.busy");
  await journal.close();
});
