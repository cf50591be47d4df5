import assert from "node:assert/strict";
import { systemWorld } from "../../core/base/mod.ts";
import { type Journal, openJournal, openJournalWorker, type OpenOptions } from "../../core/journal/mod.ts";
import type { NewEvent } from "../../core/types/mod.ts";
import { rejectsWith } from "../conformance/journal_suite.ts";
import { testWith } from "../support/skip.ts";
import { canMount, mountDisk, unmountDisk } from "../support/small_disk.ts";
import { tempDir } from "../support/temp_dir.ts";

const world = systemWorld;
const worker_url = new URL("../../core/journal/worker.ts", import.meta.url);
const FILLER: NewEvent = { type: "a.fill", version: 1, payload: "x".repeat(4_000) };

/** Appends until the journal refuses with `journal.full`, several at a time; returns how many were acknowledged. */
async function fill(journal: Journal): Promise<number> {
  let acked = 0;
  for (;;) {
    const results = await Promise.allSettled(
      Array.from({ length: 4 }, () => journal.append("session", "any", [FILLER])),
    );
    const refused = results.filter((result) => result.status === "rejected");
    acked += results.length - refused.length;
    if (refused.length > 0) {
      assert.equal(refused.length, results.length, "a commit fails as a whole");
      for (const { reason } of refused) assert.equal(reason.code, "journal.full", reason.message);
      return acked;
    }
    assert.ok(acked < 100_000, "the disk never filled");
  }
}

/** Fills the journal, and checks that it holds what was acknowledged, then that it works again with more space. */
async function fillAndRecover(
  open: (options: OpenOptions) => Promise<Journal>,
  makeSpace: () => Promise<OpenOptions>,
): Promise<void> {
  const journal = await open({ create: true });
  const acked = await fill(journal);
  await rejectsWith(journal.append("session", "any", [FILLER]), "journal.failed");
  await rejectsWith(journal.putBlob(new Uint8Array(1)), "journal.failed");
  assert.equal(await journal.head(), acked, "reading goes on");
  assert.equal((await journal.read({ after: acked - 1 })).length, 1);
  await journal.close();
  const again = await open(await makeSpace());
  assert.equal(await again.head(), acked, "nothing that was refused has appeared");
  assert.deepEqual(await again.verify(), { ok: true, events: acked, problems: [] });
  assert.equal((await again.append("session", acked, [FILLER])).last_seq, acked + 1);
  await again.close();
}

Deno.test("a journal at its largest size gives journal.full, keeps what it acknowledged and recovers", async () => {
  await using dir = await tempDir();
  const path = dir.join("runtime.sqlite");
  let max_pages = 60;
  await fillAndRecover(
    (options) => openJournal(path, { world, ...options, max_pages }),
    () => {
      max_pages = 200;
      return Promise.resolve({});
    },
  );
});

/** Runs `body` with a small disk that has a megabyte of ballast. */
async function onSmallDisk(
  body: (disk: string, makeSpace: () => Promise<void>) => Promise<void>,
): Promise<void> {
  await using dir = await tempDir();
  const disk = dir.join("disk");
  await Deno.mkdir(disk);
  assert.ok(await mountDisk(disk, "4m"));
  try {
    await Deno.writeFile(`${disk}/ballast`, new Uint8Array(1024 * 1024));
    await body(disk, () => Deno.remove(`${disk}/ballast`));
  } finally {
    await unmountDisk(disk);
  }
}

/** Takes all space that is left. */
async function useUp(disk: string): Promise<void> {
  using file = await Deno.open(`${disk}/rest`, { write: true, create: true });
  for (let size = 65_536; size >= 1;) {
    try {
      if (await file.write(new Uint8Array(size)) < size) size = Math.floor(size / 2);
    } catch {
      size = Math.floor(size / 2); // full: smaller pieces may still fit
    }
  }
}

testWith(
  "a journal on a full disk gives journal.full, keeps what it acknowledged and recovers with space",
  await canMount(),
  () =>
    onSmallDisk((disk, makeSpace) =>
      fillAndRecover(
        (options) =>
          Promise.resolve(
            openJournalWorker(`${disk}/runtime.sqlite`, { world, worker_url, reserve_bytes: 0, ...options }),
          ),
        async () => {
          await makeSpace();
          return {};
        },
      )
    ),
);

testWith(
  "a disk that is full when a checkpoint comes loses nothing: the log stays, is read, and is moved when there is space",
  await canMount(),
  () =>
    onSmallDisk(async (disk, makeSpace) => {
      const path = `${disk}/runtime.sqlite`;
      const options = { world, reserve_bytes: 0 };
      const journal = await openJournal(path, { ...options, create: true });
      for (let index = 0; index < 40; index++) await journal.append("session", index, [FILLER]);
      await useUp(disk);
      await journal.close();
      const reader = await openJournal(path, options);
      assert.equal((await reader.read()).length, 40, "everything can be read");
      await reader.close();
      await makeSpace();
      const again = await openJournal(path, options);
      assert.deepEqual(await again.verify(), { ok: true, events: 40, problems: [] });
      assert.equal((await again.append("session", 40, [FILLER])).last_seq, 41);
      await again.close();
      assert.throws(() => Deno.statSync(`${path}-wal`), Deno.errors.NotFound);
    }),
);

testWith(
  "a blob that does not fit on the disk is refused as a whole, and fits when there is space",
  await canMount(),
  () =>
    onSmallDisk(async (disk, makeSpace) => {
      const path = `${disk}/runtime.sqlite`;
      const options = { world, reserve_bytes: 0 };
      const blob = new Uint8Array(1_200_000).map((_, at) => at & 255);
      const journal = await openJournal(path, { ...options, create: true });
      await journal.append("session", 0, [FILLER]);
      await Deno.writeFile(`${disk}/more`, new Uint8Array(2_000_000));
      await rejectsWith(journal.putBlob(blob), "journal.full");
      await rejectsWith(
        journal.append("session", 1, [{ ...FILLER, payload: "y".repeat(1_200_000) }]),
        "journal.failed",
      );
      assert.equal(await journal.head(), 1, "reading goes on");
      await journal.close();
      await makeSpace();
      await Deno.remove(`${disk}/more`);
      const again = await openJournal(path, options);
      assert.deepEqual(await again.verify(), { ok: true, events: 1, problems: [] });
      const hash = await again.putBlob(blob);
      assert.deepEqual(await again.getBlob(hash), blob);
      await again.close();
    }),
);
