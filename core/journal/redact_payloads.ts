import type { DatabaseSync } from "node:sqlite";
import { REDACTION_EVENT } from "./journal.ts";
import { journalError } from "./journal_error.ts";
import { rewriteTable, runSql } from "./schema.ts";

/** An event whose payload is there and may go. */
export interface Redactable {
  seq: number;
  payload_hash: string;
  /** Lies in `blobs`. */
  in_blob: boolean;
}

/** Most bytes of zeros written at once over pages that are free. */
const SCRUB_BYTES = 64 * 1024 * 1024;

/** Of these events those that still have their payload. Throws `journal.invalid` for a wrong number. */
export function redactablePayloads(db: DatabaseSync, seqs: readonly number[], head: number): Redactable[] {
  const select = db.prepare(
    "SELECT type, payload IS NULL AS in_blob, payload_hash, redacted_by FROM events WHERE seq = ?",
  );
  const found: Redactable[] = [];
  for (const seq of seqs) {
    const row = select.get(seq);
    if (row === undefined) {
      throw journalError("invalid", `Cannot redact event ${seq}: the last event is ${head}`);
    }
    if (row.type === REDACTION_EVENT) {
      throw journalError("invalid", `Cannot redact event ${seq}: it says why others were redacted`);
    }
    if (row.redacted_by === null) {
      found.push({ seq, payload_hash: String(row.payload_hash), in_blob: row.in_blob === 1 });
    }
  }
  return found;
}

/**
 * Takes the payloads, and all that was made from them, out of the tables and out of the file's free space; to be called
 * inside a transaction with `secure_delete` on. The log holds them until it is truncated. `by` is the event that says
 * why.
 *
 * SQLite may leave copies of rows that it moved inside a page, so the tables concerned are written anew.
 */
export function redactPayloads(db: DatabaseSync, found: readonly Redactable[], by: number): void {
  const mentioned = mentionedHashes(db, found);
  const update = db.prepare(
    "UPDATE events SET payload = NULL, blob_refs = NULL, redacted_by = ? WHERE seq = ?",
  );
  for (const { seq } of found) update.run(by, seq);
  const own = found.filter(({ in_blob }) => in_blob).map(({ payload_hash }) => payload_hash);
  const dropped = dropUnused(db, own) + dropUnused(db, mentioned);
  forgetResults(db, found);
  runSql(db, "DELETE FROM checkpoints");
  runSql(db, "DELETE FROM projections");
  scrubFreePages(db);
  rewriteTable(db, "events");
  rewriteTable(db, "commands");
  if (dropped > 0) rewriteTable(db, "blobs");
}

/** Hashes that the payloads name, such as those of attached blobs. */
function mentionedHashes(db: DatabaseSync, found: readonly Redactable[]): string[] {
  const select = db.prepare(
    `SELECT coalesce(payload, (SELECT CAST(bytes AS TEXT) FROM blobs WHERE sha256 = payload_hash)) AS text
     FROM events WHERE seq = ?`,
  );
  const hashes = new Set<string>();
  for (const { seq } of found) {
    for (const [hash] of String(select.get(seq)?.text).matchAll(/\b[0-9a-f]{64}\b/g)) hashes.add(hash);
  }
  return [...hashes];
}

/** Removes the blobs that no payload is in and none names; returns how many. */
function dropUnused(db: DatabaseSync, hashes: readonly string[]): number {
  const used = db.prepare(
    `SELECT EXISTS (SELECT 1 FROM events WHERE redacted_by IS NULL AND
       (payload_hash = ?1 AND payload IS NULL OR instr(payload, ?1)))
     OR EXISTS (SELECT 1 FROM blobs WHERE sha256 <> ?1 AND instr(bytes, CAST(?1 AS BLOB))) AS used`,
  );
  const remove = db.prepare("DELETE FROM blobs WHERE sha256 = ?");
  let dropped = 0;
  for (const hash of hashes) if (used.get(hash)?.used === 0) dropped += Number(remove.run(hash).changes);
  return dropped;
}

/** Keeps of the results of these events' appends only the figures: a repeated append still happens once. */
function forgetResults(db: DatabaseSync, found: readonly Redactable[]): void {
  const update = db.prepare("UPDATE commands SET result = json_remove(result, '$.value') WHERE key = ?");
  const rows = db.prepare(
    `SELECT key, result ->> '$.first_seq' AS first, result ->> '$.last_seq' AS last FROM commands
     WHERE result -> '$.value' IS NOT NULL`,
  ).all();
  for (const { key, first, last } of rows) {
    if (found.some(({ seq }) => Number(first) <= seq && seq <= Number(last))) update.run(key!);
  }
}

/** Writes zeros over pages that earlier versions freed as they were. */
function scrubFreePages(db: DatabaseSync): void {
  const [{ freelist_count }] = runSql(db, "PRAGMA freelist_count") as [{ freelist_count: number }];
  const [{ page_size }] = runSql(db, "PRAGMA page_size") as [{ page_size: number }];
  const insert = db.prepare("INSERT INTO blobs (sha256, bytes, size) VALUES (?, zeroblob(?), 0)");
  let left = freelist_count * page_size;
  for (let part = 0; left > 0; part++, left -= SCRUB_BYTES) {
    insert.run(`scrub ${part}`, Math.min(left, SCRUB_BYTES));
  }
  runSql(db, "DELETE FROM blobs WHERE sha256 LIKE 'scrub %'");
}
