import type { DatabaseSync } from "node:sqlite";
import { canonicalJson, sha256 } from "../base/mod.ts";
import type { RescuedEvent } from "./rescue_events.ts";
import type { NewEvent } from "../types/mod.ts";
import type { Row } from "./rescue_rows.ts";
import { GENESIS, runSql } from "./schema.ts";
import { chainValue } from "./tail.ts";

/** What stands in the place of the lost event `seq`. */
export type Placeholder = (
  lost: { type: string; version: number; problem: string },
  seq: number,
) => NewEvent;

/** At most this many lines say what is lost. */
const MAX_LINES = 100;
/** The stream of a lost event whose stream nobody knows. */
const LOST_STREAM = "lost";
/** The stream that every journal begins with. */
const FIRST_STREAM = "session";

/**
 * Writes rescued events into a new journal: numbers stay, streams are counted anew, and the chain is made again over what
 * is there. Returns what was lost, one line for each stretch.
 */
export function writeRescued(
  fresh: DatabaseSync,
  columns: readonly string[],
  events: readonly RescuedEvent[],
  placeholder: Placeholder,
): string[] {
  const insert = fresh.prepare(
    `INSERT INTO events (${columns.join(",")}) VALUES (${columns.map(() => "?").join(",")})`,
  );
  const versions = new Map<string, number>();
  let chain = GENESIS;
  let ts = 0;
  runSql(fresh, "BEGIN IMMEDIATE");
  for (const { seq, row, lost } of events) {
    const written = lost === undefined ? { ...row } : placeRow(row, seq, lost, ts, placeholder);
    const stream = String(written.stream_id);
    const stream_seq = (versions.get(stream) ?? 0) + 1;
    versions.set(stream, stream_seq);
    chain = chainValue(chain, seq, String(written.type), String(written.payload_hash));
    ts = Number(written.ts);
    const full: Row = { ...written, seq, stream_seq, chain };
    insert.run(...columns.map((name) => full[name] ?? null));
  }
  fresh.prepare("UPDATE meta SET value = ? WHERE key = 'head'").run(`${events.length} ${chain}`);
  runSql(fresh, "COMMIT");
  return lostLines(events);
}

function placeRow(
  row: Row,
  seq: number,
  problem: string,
  before: number,
  placeholder: Placeholder,
): Row {
  const { type, version, payload } = placeholder({
    type: typeof row.type === "string" ? row.type : "unknown",
    version: typeof row.version === "number" ? row.version : 0,
    problem,
  }, seq);
  const text = canonicalJson(payload);
  return {
    stream_id: typeof row.stream_id === "string" && row.stream_id !== ""
      ? row.stream_id
      : seq === 1
      ? FIRST_STREAM
      : LOST_STREAM,
    type,
    version,
    ts: typeof row.ts === "number" && Number.isSafeInteger(row.ts) ? row.ts : before,
    run_id: typeof row.run_id === "string" ? row.run_id : null,
    step_id: typeof row.step_id === "string" ? row.step_id : null,
    payload: text,
    payload_hash: sha256(text),
  };
}

/** "events 4 to 9: they cannot be read", one line for each stretch of the same reason. */
function lostLines(events: readonly RescuedEvent[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < events.length;) {
    const first = events[at]!;
    if (first.lost === undefined) {
      at++;
      continue;
    }
    let last = first;
    while (events[at + 1]?.lost === first.lost) last = events[++at]!;
    at++;
    const type = typeof first.row.type === "string" ? ` (${first.row.type})` : "";
    lines.push(
      first === last
        ? `event ${first.seq}${type}: ${first.lost}`
        : `events ${first.seq} to ${last.seq}: ${first.lost}`,
    );
  }
  const more = lines.length - MAX_LINES;
  return more <= 0 ? lines : [...lines.slice(0, MAX_LINES - 1), `and ${more + 1} more stretches`];
}
