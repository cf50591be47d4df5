import assert from "node:assert/strict";
import { LuminaError, systemWorld } from "../base/mod.ts";
import type { NewEvent } from "../types/mod.ts";
import { DiskWatch } from "./disk_watch.ts";
import { fileSystem, remoteKind } from "./file_system.ts";
import type { JournalWarning } from "./journal.ts";
import { openJournal } from "./open_journal.ts";
import type { WriteRequest } from "./write_request.ts";

const EVENT: NewEvent = { type: "a.b", version: 1, payload: null };
const APPEND: WriteRequest = { kind: "append", stream_id: "s", expected: "any", events: [], ts: 0 };
const MB = 1_000_000;

function watch(free: () => number, options: { remote?: string; log?: () => number } = {}) {
  const warnings: JournalWarning[] = [];
  const { remote, log = () => 0 } = options;
  const disk = new DiskWatch({
    path: "/data/runtime.sqlite",
    reserve_bytes: 200 * MB,
    warn: (warning) => warnings.push(warning),
    logSize: log,
    look: (path) => {
      assert.equal(path, "/data");
      return { free: free(), size: 1e12, ...(remote === undefined ? {} : { remote }) };
    },
  });
  return { disk, warnings, codes: () => warnings.map(({ code }) => code) };
}

Deno.test("below the reserve work is refused, its end may be written, and space is seen when it is there again", () => {
  let free = 500 * MB;
  const { disk, codes } = watch(() => free);
  assert.equal(disk.refusal(APPEND), undefined);
  free = 150 * MB;
  for (let commit = 0; commit < 64; commit++) disk.committed(100);
  assert.equal(disk.low, true);
  const error = disk.refusal(APPEND);
  assert.equal(error?.code, "journal.full");
  assert.match(error!.message, /150 MB left.*200 MB are kept.*free some space/);
  assert.ok(disk.refusal({ kind: "blob", bytes: new Uint8Array(1) }));
  assert.equal(disk.refusal({ ...APPEND, closing: true }), undefined);
  assert.equal(disk.refusal({ kind: "offset", consumer: "c", seq: 1, reset: false }), undefined);
  assert.deepEqual(codes(), ["low_space"], "said once");
  free = 300 * MB;
  assert.equal(disk.refusal(APPEND), undefined);
  assert.equal(disk.low, false);
});

Deno.test("a large write makes it look at the disk at once", () => {
  let free = 500 * MB;
  const { disk } = watch(() => free);
  free = 1;
  disk.committed(1_000);
  assert.equal(disk.low, false);
  disk.committed(20 * MB);
  assert.equal(disk.low, true);
});

Deno.test("a network file system and a log that grows without bound are told once, with what to do", () => {
  let log = 0;
  const { disk, warnings, codes } = watch(() => 500 * MB, { remote: "NFS", log: () => log });
  assert.deepEqual(codes(), ["network_file_system"]);
  assert.match(warnings[0]!.message, /NFS.*move LUMINA_APP_ROOT/);
  log = 300 * 1024 * 1024;
  disk.look();
  disk.look();
  assert.deepEqual(codes(), ["network_file_system", "large_log"]);
  assert.match(warnings[1]!.message, /314 MB/);
});

Deno.test("file systems of other machines are known by their type, also when it is given as a signed number", () => {
  assert.equal(remoteKind(0x6969), "NFS");
  assert.equal(remoteKind(0xff534d42 | 0), "CIFS");
  assert.equal(remoteKind(0x01021997), "9P");
  assert.equal(remoteKind(0xef53), undefined, "ext4");
  assert.ok((fileSystem(Deno.cwd())?.free ?? 0) > 0);
  assert.equal(fileSystem("/no/such/folder"), undefined);
});

Deno.test("a journal on a disk below its reserve refuses work and records its end", async () => {
  const dir = await Deno.makeTempDir({ prefix: "lumina-reserve-" });
  try {
    const warnings: string[] = [];
    const journal = await openJournal(`${dir}/runtime.sqlite`, {
      world: systemWorld,
      create: true,
      reserve_bytes: Number.MAX_SAFE_INTEGER,
      warn: ({ code }) => warnings.push(code),
    });
    const [refused, ended] = await Promise.allSettled([
      journal.append("session", 0, [EVENT]),
      journal.append("session", 0, [EVENT], { reserve: "use" }),
    ]);
    assert.ok(refused.status === "rejected" && refused.reason instanceof LuminaError);
    assert.equal(refused.reason.code, "journal.full");
    assert.equal(ended.status, "fulfilled");
    assert.equal((await journal.append("session", 1, [EVENT], { reserve: "use" })).last_seq, 2);
    assert.deepEqual(warnings, ["low_space"]);
    await journal.close();
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
