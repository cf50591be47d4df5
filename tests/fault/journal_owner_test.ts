import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { systemWorld, type World } from "../../core/base/mod.ts";
import { openJournal, openJournalWorker } from "../../core/journal/mod.ts";
import { rejectsWith } from "../conformance/journal_suite.ts";
import { tempDir } from "../support/temp_dir.ts";

const world = systemWorld;
const CHILD = fileURLToPath(new URL("./journal_owner_child.ts", import.meta.url));
const worker_url = new URL("../../core/journal/worker.ts", import.meta.url);

/** A process that opens the journal: what it said, and how to end it. */
async function owner(path: string) {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", CHILD, path],
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
