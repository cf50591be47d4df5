import type { DatabaseSync } from "node:sqlite";
import { sha256 } from "../base/mod.ts";
import { corruptError } from "./journal_error.ts";
import { GENESIS } from "./schema.ts";

/** Where a journal ends: the `seq` of its last event (0 for none) and that event's chain value. */
export interface Tail {
  seq: number;
  chain: string;
}

/** The chain value of an event: SHA-256 over the one before, `seq`, type and payload hash, a line each. */
export function chainValue(previous: string, seq: number, type: string, payload_hash: string): string {
  return sha256(`${previous}\n${seq}\n${type}\n${payload_hash}`);
}

/** The tail as the events have it. */
export function readTail(db: DatabaseSync): Tail {
  const last = db.prepare("SELECT seq, chain FROM events ORDER BY seq DESC LIMIT 1").get();
  return last === undefined
    ? { seq: 0, chain: GENESIS }
    : { seq: Number(last.seq), chain: String(last.chain) };
}

/** The tail as the last commit noted it. */
export function readNotedTail(db: DatabaseSync): Tail {
  const [seq, chain] = String(db.prepare("SELECT value FROM meta WHERE key = 'head'").get()?.value).split(
    " ",
  );
  return { seq: Number(seq), chain: chain ?? "" };
}

/**
 * The quick check at opening: no event is missing, and the last one is what the last commit noted. Throws
 * `journal.corrupt`; `verify()` looks at everything.
 */
export function checkedTail(db: DatabaseSync, path: string): Tail {
  const tail = readTail(db);
  const noted = readNotedTail(db);
  const count = Number(db.prepare("SELECT count(*) AS n FROM events").get()?.n);
  if (count !== tail.seq) {
    throw corruptError(path, `it holds ${count} events and the last one is number ${tail.seq}`);
  }
  if (noted.seq !== tail.seq || noted.chain !== tail.chain) {
    throw corruptError(
      path,
      `its last commit ended with event ${noted.seq}, the last one here is ${tail.seq}`,
    );
  }
  return tail;
}
