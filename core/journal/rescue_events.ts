import type { DatabaseSync } from "node:sqlite";
import { sha256 } from "../base/mod.ts";
import type { CarvedValue } from "./rescue_pages.ts";
import { lastRow, readableRows, type Row } from "./rescue_rows.ts";
import type { RescueSource } from "./rescue_source.ts";
import { GENESIS } from "./schema.ts";
import { chainValue, readNotedTail } from "./tail.ts";

/** An event as it was saved, or the place of one that was not. */
export interface RescuedEvent {
  seq: number;
  /** Its row; what is known of it when it is lost. */
  row: Row;
  /** Why it is lost; undefined when it was saved. */
  lost?: string;
}

export interface RescuedEvents {
  events: RescuedEvent[];
  /** What was kept although something was wrong with it, one line each. */
  notes: string[];
}

/** A number that says more events than this beyond the last one that is there is damaged itself. */
const MOST_MISSING = 1_000_000;

/**
 * Everything that can be read of the table of events: row by row through SQLite, and what that does not reach from the
 * pages themselves. `columns` are the table's, in order; `at_least` is how many events are known to have been there;
 * `blobs` are those that were saved.
 */
export function rescueEvents(
  source: RescueSource,
  columns: readonly string[],
  at_least: number,
  blobs: ReadonlySet<string>,
): RescuedEvents {
  const { db, most_rows } = source;
  const rows = new Map<number, Row>();
  const suspects = new Map<number, Row>();
  const index = db === undefined ? new Map<number, Row>() : rowsOfIndex(db, most_rows);
  const known = () => Math.max(at_least, greatest(index), greatest(rows));
  if (db !== undefined) {
    const reach = Math.max(lastRow(db, "events", most_rows), known());
    for (const { rowid, ...row } of readableRows(db, "events", "*", reach)) {
      // a damaged page may read as rows that never were
      (provesItself(row) ? rows : suspects).set(Number(rowid), row);
    }
  }
  const readable = known();
  for (const { rowid, values } of source.carved(db !== undefined && rows.size >= readable)) {
    if (rows.has(rowid) || rowid > readable + MOST_MISSING) continue;
    const row = eventOf(rowid, values, columns);
    if (row !== undefined) rows.set(rowid, row);
  }
  const noted = db === undefined ? 0 : notedSeq(db);
  const found = known();
  const last = noted <= found + MOST_MISSING ? Math.max(found, noted) : found;
  for (const [seq, row] of suspects) if (!rows.has(seq) && seq <= last) rows.set(seq, row);
  return judge(rows, index, last, blobs);
}

function greatest(rows: ReadonlyMap<number, Row>): number {
  let highest = 0;
  for (const seq of rows.keys()) highest = Math.max(highest, seq);
  return highest;
}

function notedSeq(db: DatabaseSync): number {
  try {
    const { seq, chain } = readNotedTail(db);
    return Number.isSafeInteger(seq) && HASH.test(chain) ? seq : 0;
  } catch {
    return 0; // that page is damaged: the events say where they end
  }
}

/** Stream and number of each event as the index has them: known of an event even when its page is gone. */
function rowsOfIndex(db: DatabaseSync, most: number): Map<number, Row> {
  const rows = new Map<number, Row>();
  try {
    const select = db.prepare(
      "SELECT seq, stream_id, stream_seq FROM events INDEXED BY sqlite_autoindex_events_1 ORDER BY stream_id, stream_seq",
    );
    for (const row of select.all()) {
      const seq = Number(row.seq);
      if (Number.isSafeInteger(seq) && seq > 0 && seq <= most) rows.set(seq, row);
    }
  } catch {
    // it is damaged itself; it is made anew
  }
  return rows;
}

/** A carved row when it is an event that proves itself. */
function eventOf(seq: number, values: readonly CarvedValue[], columns: readonly string[]): Row | undefined {
  if (values.length > columns.length || values.length < 13) return undefined;
  const row: Row = {};
  columns.forEach((name, at) => row[name] = values[at] ?? null);
  if (row.seq !== null) return undefined; // the row's number stands for it
  row.seq = seq;
  return provesItself(row) ? row : undefined;
}

const HASH = /^[0-9a-f]{64}$/;

/** True when the fields are those of an event and the payload, where it stands here, is the one that was hashed. */
function provesItself(row: Row): boolean {
  if (fieldProblem(row) !== undefined || !HASH.test(String(row.chain))) return false;
  if (typeof row.payload === "string") return sha256(row.payload) === row.payload_hash;
  return row.payload === null && HASH.test(String(row.payload_hash));
}

/** Looks at each event as `verify()` does: what does not hold is lost, what holds only partly is noted. */
function judge(
  rows: ReadonlyMap<number, Row>,
  index: ReadonlyMap<number, Row>,
  last: number,
  blobs: ReadonlySet<string>,
): RescuedEvents {
  const events: RescuedEvent[] = [];
  const notes: string[] = [];
  let chain: string | undefined = GENESIS;
  for (let seq = 1; seq <= last; seq++) {
    const row = rows.get(seq);
    if (row === undefined) {
      events.push({ seq, row: index.get(seq) ?? {}, lost: "it cannot be read" });
      chain = undefined;
      continue;
    }
    const type = String(row.type);
    let lost = fieldProblem(row);
    if (lost === undefined && row.payload !== null) {
      const hash = sha256(String(row.payload));
      // the chain tells whether the payload or the hash beside it was changed
      if (
        hash !== row.payload_hash && chain !== undefined && chainValue(chain, seq, type, hash) === row.chain
      ) {
        row.payload_hash = hash;
        notes.push(`event ${seq}: the hash of its payload was damaged and is made anew`);
      } else if (hash !== row.payload_hash) lost = "its payload is damaged";
    } else if (lost === undefined && row.blob_refs !== null && !blobs.has(String(row.payload_hash))) {
      lost = `the blob ${row.payload_hash} of its payload is missing or damaged`;
    } else if (lost === undefined && row.blob_refs === null && !isRedacted(row)) lost = "its payload is gone";
    const hash = String(row.payload_hash);
    if (lost === undefined && chain !== undefined && chainValue(chain, seq, type, hash) !== row.chain) {
      notes.push(`event ${seq}: the chain was broken here; the event is kept as it is and nothing proves it`);
    }
    chain = typeof row.chain === "string" ? row.chain : undefined;
    events.push(lost === undefined ? { seq, row } : { seq, row, lost });
  }
  return { events, notes };
}

function fieldProblem({ stream_id, type, version, ts, payload_hash }: Row): string | undefined {
  const good = typeof stream_id === "string" && stream_id !== "" && typeof type === "string" && type !== "" &&
    Number.isSafeInteger(version) && Number.isSafeInteger(ts) && typeof payload_hash === "string";
  return good ? undefined : "its row is damaged";
}

/** True for an event whose payload was taken out on purpose; its hash stays. */
function isRedacted(row: Row): boolean {
  return typeof row.redacted_by === "number";
}
