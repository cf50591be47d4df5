import type { DatabaseSync } from "node:sqlite";
import { errorMessage, sha256 } from "../base/mod.ts";
import { REDACTION_EVENT, type VerifyReport } from "./journal.ts";
import { GENESIS, redactionColumn } from "./schema.ts";
import { verifyProjections } from "./side_tables.ts";
import { chainValue, readNotedTail, tailProblem } from "./tail.ts";

const PAGE = 1000;
const MAX_PROBLEMS = 100;

/** Reads the whole file and says what is wrong with it. Never throws for damage: that is what it reports. */
export function verifyDatabase(db: DatabaseSync): VerifyReport {
  const problems: string[] = [];
  const report = (problem: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem);
  };
  const step = (what: string, check: () => void) => {
    try {
      check();
    } catch (error) {
      report(`${what} cannot be read: ${errorMessage(error)}`);
    }
  };
  let events = 0;
  const redactions = new Redactions();
  step("the file", () => {
    for (const row of db.prepare(`PRAGMA integrity_check(${MAX_PROBLEMS})`).all()) {
      if (row.integrity_check !== "ok") report(`file: ${String(row.integrity_check)}`);
    }
  });
  step("the table of events", () => events = verifyEvents(db, redactions, report));
  step("the table of blobs", () => verifyBlobs(db, report));
  step("the table of checkpoints", () => verifyCheckpoints(db, report));
  step("the table of projections", () => verifyProjections(db, report));
  redactions.verify(report);
  const redacted = redactions.count;
  return { ok: problems.length === 0, events, ...(redacted === 0 ? {} : { redacted }), problems };
}

/** Which events lack their payload on purpose, and which redactions say so. */
class Redactions {
  readonly #missing = new Map<number, number>();
  readonly #said = new Map<number, Set<number>>();

  get count(): number {
    return this.#missing.size;
  }

  /** Event `seq` says that it was redacted by event `by`. */
  missing(seq: number, by: number): void {
    this.#missing.set(seq, by);
  }

  /** Event `by` says what it redacted. */
  said(by: number, payload: string): void {
    const { seqs } = JSON.parse(payload) as { seqs: number[] };
    this.#said.set(by, new Set(seqs));
  }

  verify(report: (problem: string) => void): void {
    for (const [seq, by] of this.#missing) {
      if (!this.#said.get(by)?.has(seq)) {
        report(`event ${seq}: the payload is gone, and event ${by} does not say why`);
      }
    }
  }
}

function verifyEvents(db: DatabaseSync, redactions: Redactions, report: (problem: string) => void): number {
  const select = db.prepare(
    `SELECT seq, stream_id, stream_seq, type, payload, payload_hash, chain, blob_refs,
     ${redactionColumn(db)}, EXISTS (SELECT 1 FROM blobs WHERE sha256 = payload_hash) AS has_blob
     FROM events WHERE seq > ? ORDER BY seq LIMIT ?`,
  );
  const versions = new Map<string, number>();
  let count = 0;
  let seq = 0;
  let chain = GENESIS;
  for (;;) {
    const rows = select.all(seq, PAGE);
    for (const row of rows) {
      const here = Number(row.seq);
      const hash = String(row.payload_hash);
      if (here !== seq + 1) {
        report(
          here === seq + 2 ? `event ${seq + 1} is missing` : `events ${seq + 1} to ${here - 1} are missing`,
        );
      } // After a gap the chain cannot be followed: the row's own value is where it starts again.
      else if (chainValue(chain, here, String(row.type), hash) !== row.chain) {
        report(`event ${here}: the chain is broken`);
      }
      if (row.payload !== null && sha256(String(row.payload)) !== hash) {
        report(`event ${here}: the payload is damaged`);
      }
      if (row.type === REDACTION_EVENT && row.payload !== null) redactions.said(here, String(row.payload));
      if (row.redacted_by !== null) {
        redactions.missing(here, Number(row.redacted_by));
        if (row.payload !== null) report(`event ${here}: the payload is still there, though it was redacted`);
      } else if (row.payload === null && row.blob_refs !== `["${hash}"]`) {
        report(`event ${here}: the payload is gone`);
      } else if (row.payload === null && row.has_blob === 0) {
        report(`event ${here}: the blob ${hash} is missing`);
      }
      const stream = String(row.stream_id);
      const expected = (versions.get(stream) ?? 0) + 1;
      if (Number(row.stream_seq) !== expected) {
        report(`event ${here}: it is number ${row.stream_seq} of "${stream}", not ${expected}`);
      }
      versions.set(stream, Number(row.stream_seq));
      seq = here;
      chain = String(row.chain);
      count++;
    }
    if (rows.length < PAGE) break;
  }
  const problem = tailProblem(db, { seq, chain }, readNotedTail(db));
  if (problem !== undefined) report(problem);
  return count;
}

function verifyBlobs(db: DatabaseSync, report: (problem: string) => void): void {
  const blob = db.prepare("SELECT bytes, size FROM blobs WHERE sha256 = ?");
  const names = db.prepare("SELECT sha256 FROM blobs WHERE sha256 > ? ORDER BY sha256 LIMIT ?");
  let after = "";
  for (;;) {
    const page = names.all(after, PAGE);
    for (const { sha256: name } of page) {
      after = String(name);
      const row = blob.get(after);
      const bytes = row?.bytes as Uint8Array | undefined;
      if (bytes === undefined || sha256(bytes) !== after) report(`blob ${after} is damaged`);
      else if (bytes.length !== row?.size) report(`blob ${after}: its size is noted wrong`);
    }
    if (page.length < PAGE) return;
  }
}

function verifyCheckpoints(db: DatabaseSync, report: (problem: string) => void): void {
  for (const row of db.prepare("SELECT name, state, hash FROM checkpoints").all()) {
    if (sha256(String(row.state)) !== row.hash) report(`checkpoint "${row.name}" is damaged`);
  }
}
