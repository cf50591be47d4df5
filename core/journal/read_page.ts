import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import { sha256 } from "../base/mod.ts";
import { DAMAGED_EVENT, REDACTED_EVENT } from "./journal.ts";
import { redactionColumn } from "./schema.ts";

/** A page ends after this many UTF-16 units of JSON, so that no answer grows without bound. */
const PAGE_UNITS = 8 * 1024 * 1024;

export interface PageRequest {
  after: number;
  limit: number;
  stream_id?: string | undefined;
  /** Check every payload against its hash; slower, for pages that do not parse. */
  checked: boolean;
}

/** Events as one JSON array: one `JSON.parse` is cheaper than copying thousands of objects between threads. */
export interface Page {
  json: string;
  /** `seq` of the last event; `after` when there is none. */
  last: number;
  count: number;
  /** True when the page was cut short by its size. */
  more: boolean;
}

const COLUMNS = `seq, stream_id, stream_seq, type, version, ts, run_id, step_id, causation_id, payload,
  payload_hash`;
/**
 * An event as SQLite writes it, several times as fast as reading its columns; NULL when its payload lies in a blob.
 * Names hold no control characters and ids are written by Lumina, so `json_quote` says what `JSON.stringify` would.
 */
const EVENT_JSON =
  `'{"seq":' || seq || ',"stream_id":' || json_quote(stream_id) || ',"stream_seq":' || stream_seq ||
  ',"type":' || json_quote(type) || ',"version":' || version || ',"ts":' || ts ||
  iif(run_id IS NULL, '', ',"run_id":' || json_quote(run_id)) ||
  iif(step_id IS NULL, '', ',"step_id":' || json_quote(step_id)) ||
  iif(causation_id IS NULL, '', ',"causation_id":' || json_quote(causation_id)) ||
  ',"payload":' || payload || '}' AS json`;
/** Rows are fetched in parts, so that a page cut short by its size has not read much more than it gives. */
const ROWS_AT_ONCE = 500;
const OPTIONAL_IDS = ["run_id", "step_id", "causation_id"] as const;

type Row = Record<string, SQLOutputValue>;

/** Reads pages of events with their blobs. */
export class PageReader {
  readonly #db: DatabaseSync;
  readonly #columns: string;
  readonly #sql: Record<"all" | "stream" | "place" | "place_before" | "blob" | "row", StatementSync>;
  /** Like `all` and `stream`, with the columns that a check needs; prepared when the first page has to be checked. */
  #checked: Record<"all" | "stream", StatementSync> | undefined;

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#columns = `${COLUMNS}, ${redactionColumn(db)}`;
    this.#sql = {
      ...this.#pages(`seq, ${EVENT_JSON}`),
      place: db.prepare("SELECT stream_seq FROM events WHERE seq = ? AND stream_id = ?"),
      place_before: db.prepare(
        "SELECT stream_seq FROM events WHERE stream_id = ? AND seq < ? ORDER BY stream_seq DESC LIMIT 1",
      ),
      blob: db.prepare("SELECT bytes FROM blobs WHERE sha256 = ?"),
      row: db.prepare(`SELECT ${this.#columns} FROM events WHERE seq = ?`),
    };
  }

  #pages(columns: string): Record<"all" | "stream", StatementSync> {
    return {
      all: this.#db.prepare(`SELECT ${columns} FROM events WHERE seq > ? ORDER BY seq LIMIT ?`),
      // In one stream the order of stream_seq is the order of seq, and it has the index.
      stream: this.#db.prepare(
        `SELECT ${columns} FROM events WHERE stream_id = ? AND stream_seq > ? ORDER BY stream_seq LIMIT ?`,
      ),
    };
  }

  /** The bytes of a blob as they are stored. */
  blob(hash: string): Uint8Array | undefined {
    return this.#sql.blob.get(hash)?.bytes as Uint8Array | undefined;
  }

  page({ after, limit, stream_id, checked }: PageRequest): Page {
    const parts: string[] = [];
    let units = 0;
    let last = after;
    let more = false;
    while (!more && parts.length < limit) {
      const wanted = Math.min(ROWS_AT_ONCE, limit - parts.length);
      const rows = this.#rows(last, wanted, stream_id, checked);
      for (const row of rows) {
        more = units > PAGE_UNITS;
        if (more) break;
        const part = typeof row.json === "string" ? row.json : this.#event(row, checked);
        parts.push(part);
        units += part.length;
        last = Number(row.seq);
      }
      if (rows.length < wanted) break;
    }
    return { json: `[${parts.join(",")}]`, last, count: parts.length, more };
  }

  #rows(after: number, limit: number, stream_id: string | undefined, checked: boolean): Row[] {
    if (checked) this.#checked ??= this.#pages(this.#columns);
    const sql = checked ? this.#checked! : this.#sql;
    return stream_id === undefined
      ? sql.all.all(after, limit)
      : sql.stream.all(stream_id, this.#place(stream_id, after), limit);
  }

  /** The stream's own number of its last event that is not after `after`. */
  #place(stream_id: string, after: number): number {
    if (after === 0) return 0;
    const row = this.#sql.place.get(after, stream_id) ?? this.#sql.place_before.get(stream_id, after);
    return Number(row?.stream_seq ?? 0);
  }

  #event(found: Row, checked: boolean): string {
    const row = checked ? found : this.#sql.row.get(found.seq!) ?? found;
    let ids = "";
    for (const name of OPTIONAL_IDS) {
      if (row[name] !== null) ids += `,"${name}":${JSON.stringify(row[name])}`;
    }
    const payload = this.#payload(row, checked);
    const [type, version, text] = "text" in payload
      ? [row.type, row.version, payload.text]
      : [payload.type, 1, JSON.stringify({ type: row.type, version: row.version, ...payload.says })];
    return `{"seq":${row.seq},"stream_id":${JSON.stringify(row.stream_id)},"stream_seq":${row.stream_seq},` +
      `"type":${JSON.stringify(type)},"version":${version},"ts":${row.ts}${ids},"payload":${text}}`;
  }

  /** The payload, or what is read in its place. */
  #payload(row: Row, checked: boolean): { text: string } | { type: string; says: Record<string, unknown> } {
    const damaged = (problem: string) => ({ type: DAMAGED_EVENT, says: { problem } });
    const hash = String(row.payload_hash);
    if (row.redacted_by !== null) return { type: REDACTED_EVENT, says: { redacted_by: row.redacted_by } };
    if (row.payload !== null) {
      const text = String(row.payload);
      return checked && sha256(text) !== hash ? damaged("the payload is damaged") : { text };
    }
    const bytes = this.blob(hash);
    if (bytes === undefined) return damaged(`the blob ${hash} is missing`);
    if (sha256(bytes) !== hash) return damaged(`the blob ${hash} is damaged`);
    return { text: new TextDecoder().decode(bytes) };
  }
}
