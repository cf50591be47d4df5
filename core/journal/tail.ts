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

/** The tail as it was last noted: that of the file's end, or a little before it when its owner was killed. */
export function readNotedTail(db: DatabaseSync): Tail {
  const [seq, chain] = String(db.prepare("SELECT value FROM meta WHERE key = 'head'").get()?.value).split(
    " ",
  );
  return { seq: Number(seq), chain: chain ?? "" };
}

/** What is wrong when the events from `noted` on are not those that were noted; undefined when all is well. */
export function tailProblem(db: DatabaseSync, tail: Tail, noted: Tail): string | undefined {
  if (!(noted.seq <= tail.seq)) {
    return `the last commit ended with event ${noted.seq}, the last one here is ${tail.seq}`;
  }
  const chain = noted.seq === 0
    ? GENESIS
    : noted.seq === tail.seq
    ? tail.chain
    : db.prepare("SELECT chain FROM events WHERE seq = ?").get(noted.seq)?.chain;
  return chain === noted.chain ? undefined : `event ${noted.seq}: it is not the one that was committed`;
}

/**
 * The quick check at opening: no event is missing, and the noted one is what was committed. Throws
 * `journal.corrupt`; `verify()` looks at everything.
 */
export function checkedTail(db: DatabaseSync, path: string): Tail {
  const tail = readTail(db);
  const count = Number(db.prepare("SELECT count(*) AS n FROM events").get()?.n);
  if (count !== tail.seq) {
    throw corruptError(path, `it holds ${count} events and the last one is number ${tail.seq}`);
  }
  const problem = tailProblem(db, tail, readNotedTail(db));
  if (problem !== undefined) throw corruptError(path, problem);
  return tail;
}
