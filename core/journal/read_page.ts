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
/**
 * Rows as one text: one value costs much less on its way out of SQLite than as many rows. An event without payload in its
 * row stands as its number between two characters that no JSON holds. The rows come in the order of the inner query.
 */
const PART_JSON =
  "group_concat(coalesce(json, char(1) || seq || char(1)), ',') AS json, max(seq) AS last, count(*) AS n";
/** Rows are fetched in parts, so that a page cut short by its size has not read much more than it gives. */
const ROWS_AT_ONCE = 500;
const OPTIONAL_IDS = ["run_id", "step_id", "causation_id"] as const;

type Row = Record<string, SQLOutputValue>;

/** A page that is being filled. */
interface OpenPage {
  parts: string[];
  units: number;
  last: number;
  rows: number;
  more: boolean;
}

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
    const parts = this.#pages(`seq, ${EVENT_JSON}`);
    this.#sql = {
      all: db.prepare(`SELECT ${PART_JSON} FROM (${parts.all})`),
      stream: db.prepare(`SELECT ${PART_JSON} FROM (${parts.stream})`),
      place: db.prepare("SELECT stream_seq FROM events WHERE seq = ? AND stream_id = ?"),
      place_before: db.prepare(
        "SELECT stream_seq FROM events WHERE stream_id = ? AND seq < ? ORDER BY stream_seq DESC LIMIT 1",
      ),
      blob: db.prepare("SELECT bytes FROM blobs WHERE sha256 = ?"),
      row: db.prepare(`SELECT ${this.#columns} FROM events WHERE seq = ?`),
    };
  }

  #pages(columns: string): Record<"all" | "stream", string> {
    return {
      all: `SELECT ${columns} FROM events WHERE seq > ? ORDER BY seq LIMIT ?`,
      // In one stream the order of stream_seq is the order of seq, and it has the index.
      stream:
        `SELECT ${columns} FROM events WHERE stream_id = ? AND stream_seq > ? ORDER BY stream_seq LIMIT ?`,
    };
  }

  /** The bytes of a blob as they are stored. */
  blob(hash: string): Uint8Array | undefined {
    return this.#sql.blob.get(hash)?.bytes as Uint8Array | undefined;
  }

  page(request: PageRequest): Page {
    const { after, limit, checked } = request;
    const page: OpenPage = { parts: [], units: 0, last: after, rows: 0, more: false };
    while (!page.more && page.rows < limit) {
      const wanted = Math.min(ROWS_AT_ONCE, limit - page.rows);
      const got = checked ? this.#addChecked(page, wanted, request) : this.#addPart(page, wanted, request);
      if (got < wanted) break;
    }
    return { json: `[${page.parts.join(",")}]`, last: page.last, more: page.more };
  }

  /** Adds the next rows as SQLite wrote them; returns how many there were. */
  #addPart(page: OpenPage, wanted: number, { stream_id }: PageRequest): number {
    const place = this.#arguments(page.last, wanted, stream_id);
    const row = (stream_id === undefined ? this.#sql.all : this.#sql.stream).get(...place);
    const rows = Number(row?.n);
    if (rows === 0) return 0;
    page.rows += rows;
    let text = "";
    for (const [index, piece] of String(row!.json).split("\u0001").entries()) {
      if (index % 2 === 0) {
        text += piece;
        continue;
      }
      if (page.units + text.length > PAGE_UNITS) {
        page.more = true;
        page.last = Number(piece) - 1;
        break;
      }
      text += this.#event(this.#sql.row.get(Number(piece))!, false);
    }
    if (!page.more) page.last = Number(row!.last);
    if (text.endsWith(",")) text = text.slice(0, -1); // cut short
    if (text !== "") page.parts.push(text);
    page.units += text.length;
    page.more ||= page.units > PAGE_UNITS;
    return rows;
  }

  /** Adds the next rows, each looked at; returns how many there were. */
  #addChecked(page: OpenPage, wanted: number, { stream_id }: PageRequest): number {
    if (this.#checked === undefined) {
      const { all, stream } = this.#pages(this.#columns);
      this.#checked = { all: this.#db.prepare(all), stream: this.#db.prepare(stream) };
    }
    const place = this.#arguments(page.last, wanted, stream_id);
    const rows = (stream_id === undefined ? this.#checked.all : this.#checked.stream).all(...place);
    for (const row of rows) {
      page.more = page.units > PAGE_UNITS;
      if (page.more) break;
      const text = this.#event(row, true);
      page.parts.push(text);
      page.units += text.length;
      page.last = Number(row.seq);
      page.rows++;
    }
    return rows.length;
  }

  #arguments(after: number, limit: number, stream_id: string | undefined): (string | number)[] {
    return stream_id === undefined ? [after, limit] : [stream_id, this.#place(stream_id, after), limit];
  }

  /** The stream's own number of its last event that is not after `after`. */
  #place(stream_id: string, after: number): number {
    if (after === 0) return 0;
    const row = this.#sql.place.get(after, stream_id) ?? this.#sql.place_before.get(stream_id, after);
    return Number(row?.stream_seq ?? 0);
  }

  #event(row: Row, checked: boolean): string {
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
