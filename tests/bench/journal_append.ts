import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { systemWorld } from "../../core/base/mod.ts";
import { type Journal, JournalWorker } from "../../core/journal/mod.ts";
import type { NewEvent } from "../../core/types/mod.ts";

const WORKER = new URL("../../core/journal/worker.ts", import.meta.url);
/** Transactions of one part of a round. */
const COMMITS = 50;
/** Rounds, and later parts of a round, of which the last ones are measured: then the log has been used once over. */
const PLANS = [
  { writers: 1, rounds: 11, used_parts: 7 },
  { writers: 10, rounds: 11, used_parts: 7 },
  { writers: 100, rounds: 5, used_parts: 3 },
] as const;
/** Parts that count as `used`: more of them feel less of what else the disk does. */
const MEASURED_PARTS = 3;
/** The promise of `ARCHITECTURE.md`: ten writers reach this share of raw SQLite with the same batches. */
const LIMIT = 0.6;

interface Ratio {
  name: string;
  value: number;
  limit: number;
  ok: boolean;
}

/** Events per second of both. */
interface Rates {
  raw: number;
  journal: number;
}

interface Round {
  fresh: Rates;
  used: Rates;
}

/** An event of about 300 bytes. */
function sample(index: number): NewEvent {
  return {
    type: "tool.ended",
    version: 1,
    run_id: "0190f5a4-5f0e-7cc3-98c2-1a5d6c0e8f11",
    payload: { call_id: `call-${index}`, content: "x".repeat(250), is_error: false, step: index },
  };
}

const HASH = "0".repeat(64);

/** Plain `node:sqlite` storing the same rows in the same table: no hashing, no chain, no conflict check, no thread. */
class RawStore {
  readonly #db: DatabaseSync;
  #seq = 0;

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE events (seq INTEGER PRIMARY KEY, stream_id TEXT NOT NULL, stream_seq INTEGER NOT NULL,
        type TEXT NOT NULL, version INTEGER NOT NULL, ts INTEGER NOT NULL, run_id TEXT, step_id TEXT,
        causation_id TEXT, payload TEXT, payload_hash TEXT NOT NULL, chain TEXT NOT NULL, blob_refs TEXT,
        UNIQUE (stream_id, stream_seq))`);
  }

  /** Events per second of `COMMITS` transactions of `batch` events. */
  run(batch: number): number {
    const insert = this.#db.prepare("INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)");
    const begin = this.#db.prepare("BEGIN IMMEDIATE");
    const commit = this.#db.prepare("COMMIT");
    const start = performance.now();
    for (let index = 0; index < COMMITS; index++) {
      begin.run();
      for (let event = 0; event < batch; event++) {
        const seq = ++this.#seq;
        const { type, version, payload, run_id } = sample(seq);
        const text = JSON.stringify(payload);
        insert.run(
          seq,
          "session",
          seq,
          type,
          version,
          Date.now(),
          run_id!,
          null,
          null,
          text,
          HASH,
          HASH,
          null,
        );
      }
      commit.run();
    }
    return perSecond(COMMITS * batch, start);
  }

  close(): void {
    this.#db.close();
  }
}

/** Events per second of concurrent writers that each append one event after the other. */
async function runJournal(journal: Journal, writers: number): Promise<number> {
  const start = performance.now();
  await Promise.all(Array.from({ length: writers }, async () => {
    for (let index = 0; index < COMMITS; index++) await journal.append("session", "any", [sample(index)]);
  }));
  return perSecond(COMMITS * writers, start);
}

function perSecond(events: number, start: number): number {
  return events / ((performance.now() - start) / 1000);
}

/** The rates of parts of the same size as one. */
function together(parts: Rates[]): Rates {
  const rate = (of: keyof Rates) => parts.length / parts.reduce((sum, part) => sum + 1 / part[of], 0);
  return { raw: rate("raw"), journal: rate("journal") };
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}

/** One round with new files, as every session has its own: first commits, then as many as the file is used to. */
async function round(
  worker: JournalWorker,
  parent: string,
  { writers, used_parts }: (typeof PLANS)[number],
): Promise<Round> {
  const dir = await Deno.makeTempDir({ dir: parent });
  const journal = worker.open(join(dir, "journal.sqlite"), { create: true });
  const raw = new RawStore(join(dir, "raw.sqlite"));
  try {
    await journal.append("warm", "any", [sample(0)]);
    const fresh = { raw: raw.run(writers), journal: await runJournal(journal, writers) };
    const used: Rates[] = [];
    for (let part = 0; part < used_parts; part++) {
      used.push({ raw: raw.run(writers), journal: await runJournal(journal, writers) });
    }
    return { fresh, used: together(used.slice(-MEASURED_PARTS)) };
  } finally {
    raw.close();
    await journal.close();
    await Deno.remove(dir, { recursive: true });
  }
}

/**
 * Committed events per second through the journal worker for 1, 10 and 100 concurrent writers, against raw
 * `node:sqlite` with batches of as many, interleaved on the same disk. Figures are medians over rounds, ratios medians of each
 * round's. `fresh` is the first 50 commits of a file, which is what a session makes; `used` comes after more than a
 * thousand pages of log, when both reuse their log. Only ten writers' `used` ratio is a promise.
 */
export async function journalAppend(): Promise<
  { name: "journal_append"; figures: Record<string, number>; ratios: Ratio[] }
> {
  const dir = await Deno.makeTempDir({ prefix: "lumina-bench-journal-" });
  const worker = new JournalWorker({ world: systemWorld, worker_url: WORKER, data_dir: dir });
  try {
    return { name: "journal_append", ...await measure(worker, dir) };
  } finally {
    await worker.close();
    await Deno.remove(dir, { recursive: true });
  }
}

async function measure(
  worker: JournalWorker,
  dir: string,
): Promise<{ figures: Record<string, number>; ratios: Ratio[] }> {
  const figures: Record<string, number> = {};
  const ratios: Ratio[] = [];
  for (const plan of PLANS) {
    const { writers } = plan;
    await round(worker, dir, plan);
    const rounds: Round[] = [];
    for (let count = 0; count < plan.rounds; count++) rounds.push(await round(worker, dir, plan));
    for (const phase of ["fresh", "used"] as const) {
      const rates = rounds.map((each) => each[phase]);
      const value = median(rates.map((rate) => rate.journal / rate.raw));
      figures[`${phase}_raw_batch_${writers}_events_per_s`] = Math.round(
        median(rates.map((rate) => rate.raw)),
      );
      figures[`${phase}_journal_${writers}_writers_events_per_s`] = Math.round(
        median(rates.map((rate) => rate.journal)),
      );
      figures[`${phase}_ratio_${writers}_writers`] = Number(value.toFixed(3));
      // a file's first commits make it grow and are printed alone; the promise is about the rate it then keeps
      if (writers === 10 && phase === "used") {
        ratios.push({ name: "journal_10_writers_to_raw", value, limit: LIMIT, ok: value >= LIMIT });
      }
    }
  }
  return { figures, ratios };
}
