// deno-lint-ignore-file no-console
// Opens one session in a process of its own and prints what that took as JSON. Started by `resume.ts`.
//   resume_child.ts FILE snapshot|none
import { DatabaseSync } from "node:sqlite";
import { systemWorld } from "../../core/base/mod.ts";
import { openJournalWorker } from "../../core/journal/mod.ts";
import { Session } from "../../core/session/mod.ts";
import type { Opened } from "./resume.ts";

const COLUMNS =
  `seq, stream_id, stream_seq, type, version, ts, run_id, step_id, causation_id, payload, payload_hash,
  blob_refs`;
const PAGE = 1000;

/** Milliseconds of reading all events in pages with plain `node:sqlite`, blobs included. */
function readBare(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true });
  const page = db.prepare(`SELECT ${COLUMNS} FROM events WHERE seq > ? ORDER BY seq LIMIT ${PAGE}`);
  const blob = db.prepare("SELECT bytes FROM blobs WHERE sha256 = ?");
  const start = performance.now();
  for (let after = 0;;) {
    const rows = page.all(after);
    for (const row of rows) if (row.payload === null) blob.get(row.payload_hash!);
    if (rows.length < PAGE) break;
    after = Number(rows.at(-1)!.seq);
  }
  const took = performance.now() - start;
  db.close();
  return took;
}

const [path, what] = Deno.args;
if (path === undefined) throw new Error("resume_child.ts FILE snapshot|none");
// in a process that measures memory nothing else may have been read
const bare_ms = what === "none" ? readBare(path) : 0;
const worker_url = new URL("../../core/journal/worker.ts", import.meta.url);
const journal = openJournalWorker(path, { world: systemWorld, worker_url });
await journal.head();
const start = performance.now();
const session = await Session.open(journal, () => systemWorld.now());
const open_ms = performance.now() - start;
const peak = /VmHWM:\s+(\d+)/.exec(await Deno.readTextFile("/proc/self/status").catch(() => ""))?.[1];
const { seq, messages } = session.state;
await session.snapshot();
await journal.close();
const opened: Opened = {
  bare_ms,
  open_ms,
  rss_mb: Number(peak ?? 0) / 1024,
  events: seq,
  messages: messages.length,
};
console.log(JSON.stringify(opened));
