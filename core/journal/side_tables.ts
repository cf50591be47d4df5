import type { DatabaseSync } from "node:sqlite";
import { sha256 } from "../base/mod.ts";
import { journalError } from "./journal_error.ts";
import { GENESIS } from "./schema.ts";
import type { Tail } from "./tail.ts";
import type { OffsetRequest, ProjectionRequest } from "./write_request.ts";

/** A projection with its state as JSON text. */
export interface ProjectionRow {
  name: string;
  version: number;
  seq: number;
  state: string;
}

/** The chain value after event `seq`; undefined when there is no such event. */
function chainAt(db: DatabaseSync, seq: number): string | undefined {
  if (seq === 0) return GENESIS;
  const row = db.prepare("SELECT chain FROM events WHERE seq = ?").get(seq);
  return row && String(row.chain);
}

/** Covers the events as well as the state: a projection of other events is none of this journal. */
function projectionHash(chain: string, version: number, state: string): string {
  return sha256(`${chain}\n${version}\n${state}`);
}

/** Replaces a projection. Throws `journal.invalid` for one past the head. */
export function writeProjection(db: DatabaseSync, request: ProjectionRequest, tail: Tail): void {
  const { name, version, seq, state } = request;
  const chain = Number.isSafeInteger(seq) && seq >= 0 && seq <= tail.seq ? chainAt(db, seq) : undefined;
  if (chain === undefined) {
    throw journalError(
      "invalid",
      `Cannot store the projection "${name}" at ${seq}: the last event is ${tail.seq}`,
    );
  }
  db.prepare("INSERT OR REPLACE INTO projections (name, version, seq, state, hash) VALUES (?,?,?,?,?)")
    .run(name, version, seq, state, projectionHash(chain, version, state));
}

/** The projection of this name; undefined when there is none that fits the events. */
export function readProjection(db: DatabaseSync, name: string): ProjectionRow | undefined {
  const row = db.prepare("SELECT version, seq, state, hash FROM projections WHERE name = ?").get(name);
  if (row === undefined) return undefined;
  const projection = { name, version: Number(row.version), seq: Number(row.seq), state: String(row.state) };
  return fits(db, projection, row.hash) ? projection : undefined;
}

function fits(db: DatabaseSync, { version, seq, state }: ProjectionRow, hash: unknown): boolean {
  const chain = chainAt(db, seq);
  return chain !== undefined && projectionHash(chain, version, state) === hash;
}

/** Says which projections are damaged. */
export function verifyProjections(db: DatabaseSync, report: (problem: string) => void): void {
  for (const { name } of db.prepare("SELECT name FROM projections").all()) {
    if (readProjection(db, String(name)) === undefined) report(`projection "${name}" is damaged`);
  }
}

/** The last event that a consumer is done with, never past `head`. */
export function readOffset(db: DatabaseSync, consumer: string, head: number): number {
  const row = db.prepare("SELECT seq FROM consumer_offsets WHERE consumer = ?").get(consumer);
  return Math.min(Number(row?.seq ?? 0), head);
}

/** Replaces a consumer's offset. Throws `journal.invalid` past the head and for a step back without `reset`. */
export function writeOffset(db: DatabaseSync, { consumer, seq, reset }: OffsetRequest, head: number): void {
  const now = readOffset(db, consumer, head);
  if (seq > head || (seq < now && !reset)) {
    const why = seq > head
      ? `the last event is ${head}`
      : `it is at ${now} and goes back only when it is reset`;
    throw journalError("invalid", `Cannot set the offset of "${consumer}" to ${seq}: ${why}`);
  }
  db.prepare("INSERT OR REPLACE INTO consumer_offsets (consumer, seq) VALUES (?,?)").run(consumer, seq);
}
