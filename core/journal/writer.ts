import type { DatabaseSync, StatementSync } from "node:sqlite";
import { canonicalJson, LuminaError, sha256 } from "../base/mod.ts";
import { EventInserter } from "./insert_events.ts";
import { journalError, toWireError } from "./journal_error.ts";
import { JOURNAL_STREAM, REDACTION_EVENT } from "./journal.ts";
import { redactablePayloads, redactPayloads } from "./redact_payloads.ts";
import { writeOffset, writeProjection } from "./side_tables.ts";
import { chainValue, readNotedTail, type Tail } from "./tail.ts";
import {
  type AppendReply,
  type AppendRequest,
  type EncodedEvent,
  MAX_BYTES,
  type RedactReply,
  type RedactRequest,
  tooLarge,
  type WriteOutcome,
  type WriteRequest,
} from "./write_request.ts";

/** After so many commits the head is noted again; writing it with each would make every commit a page larger. */
const NOTE_COMMITS = 64;

/** Payloads with more bytes of JSON than this lie in `blobs`. */
export const BLOB_THRESHOLD = 16 * 1024;

/** What a transaction has added so far; becomes the writer's state when it is committed. */
interface Pending {
  tail: Tail;
  versions: Map<string, number>;
}

/** The one writer of a file. Knows its end, so that an append reads nothing but the idempotency key. */
export class Writer {
  readonly #db: DatabaseSync;
  readonly #versions = new Map<string, number>();
  readonly #sql: Record<
    "begin" | "commit" | "head" | "blob" | "command" | "new_command" | "version" | "checkpoint",
    StatementSync
  >;
  readonly #events: EventInserter;
  #tail: Tail;
  /** `seq` of the head that the file notes, once it is known. */
  #noted: number | undefined;
  #unnoted_commits = 0;

  constructor(db: DatabaseSync, tail: Tail) {
    this.#db = db;
    this.#tail = tail;
    this.#events = new EventInserter(db);
    this.#sql = {
      begin: db.prepare("BEGIN IMMEDIATE"),
      commit: db.prepare("COMMIT"),
      head: db.prepare("UPDATE meta SET value = ? WHERE key = 'head'"),
      // A damaged blob is healed when the same bytes come again.
      blob: db.prepare(
        `INSERT INTO blobs (sha256, bytes, size) VALUES (?,?,?)
         ON CONFLICT DO UPDATE SET bytes = excluded.bytes, size = excluded.size WHERE bytes IS NOT excluded.bytes`,
      ),
      command: db.prepare("SELECT request_hash, result FROM commands WHERE key = ?"),
      new_command: db.prepare("INSERT INTO commands (key, request_hash, result) VALUES (?,?,?)"),
      version: db.prepare("SELECT max(stream_seq) AS version FROM events WHERE stream_id = ?"),
      checkpoint: db.prepare(
        "INSERT OR REPLACE INTO checkpoints (name, stream_id, seq, state, hash) VALUES (?,?,?,?,?)",
      ),
    };
  }

  get tail(): Tail {
    return this.#tail;
  }

  version(stream_id: string): number {
    let version = this.#versions.get(stream_id);
    if (version === undefined) {
      version = Number(this.#sql.version.get(stream_id)?.version ?? 0);
      this.#versions.set(stream_id, version);
    }
    return version;
  }

  /**
   * Writes everything in one transaction and returns after its commit is on disk. A request that is refused leaves
   * the others alone. Throws what SQLite throws when the transaction as a whole failed; nothing is stored then.
   */
  write(requests: readonly WriteRequest[]): WriteOutcome[] {
    const pending: Pending = { tail: this.#tail, versions: new Map() };
    this.#sql.begin.run();
    const outcomes = requests.map((request) => this.#one(request, pending));
    this.#events.flush();
    const note = pending.tail !== this.#tail && ++this.#unnoted_commits >= NOTE_COMMITS;
    if (note) this.#sql.head.run(`${pending.tail.seq} ${pending.tail.chain}`);
    this.#sql.commit.run();
    this.#tail = pending.tail;
    if (note) this.#hasNoted();
    for (const [stream_id, version] of pending.versions) this.#versions.set(stream_id, version);
    return outcomes;
  }

  /** Notes the head in the file, for the moments when nobody waits: a later opening sees when events are missing. */
  noteHead(): void {
    this.#noted ??= readNotedTail(this.#db).seq;
    if (this.#noted === this.#tail.seq) return;
    this.#sql.head.run(`${this.#tail.seq} ${this.#tail.chain}`);
    this.#hasNoted();
  }

  #hasNoted(): void {
    this.#noted = this.#tail.seq;
    this.#unnoted_commits = 0;
  }

  /** Undoes a transaction that failed. */
  rollback(): void {
    this.#events.clear();
    if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
  }

  /** Every refusal comes before the first change of its request, so none has to be undone. */
  #one(request: WriteRequest, pending: Pending): WriteOutcome {
    try {
      switch (request.kind) {
        case "append":
          return { ok: true, value: this.#append(request, pending) };
        case "blob":
          return { ok: true, value: this.#blob(request.bytes) };
        case "checkpoint":
          if (!(request.seq >= 0 && request.seq <= pending.tail.seq)) {
            throw journalError(
              "invalid",
              `Cannot store the checkpoint "${request.name}" at ${request.seq}: the last event is ${pending.tail.seq}`,
            );
          }
          this.#sql.checkpoint.run(
            request.name,
            request.stream_id,
            request.seq,
            request.state,
            sha256(request.state),
          );
          return { ok: true, value: null };
        case "projection":
          writeProjection(this.#db, request, this.#flushed(pending));
          return { ok: true, value: null };
        case "offset":
          writeOffset(this.#db, request, pending.tail.seq);
          return { ok: true, value: null };
        case "redact":
          return { ok: true, value: this.#redact(request, pending) };
      }
    } catch (error) {
      if (error instanceof LuminaError) return { ok: false, error: toWireError(error) };
      throw error;
    }
  }

  /** The tail so far, with every event of it in the table. */
  #flushed({ tail }: Pending): Tail {
    this.#events.flush();
    return tail;
  }

  #redact({ seqs, reason, by, ts }: RedactRequest, pending: Pending): RedactReply {
    const found = redactablePayloads(this.#db, seqs, this.#flushed(pending).seq);
    if (found.length === 0) return { redacted: [] };
    const redacted = found.map(({ seq }) => seq);
    const payload = canonicalJson({ by, reason, seqs: redacted });
    const { last_seq } = this.#append({
      kind: "append",
      stream_id: JOURNAL_STREAM,
      expected: "any",
      events: [{ type: REDACTION_EVENT, version: 1, payload }],
      ts,
    }, pending);
    this.#events.flush();
    redactPayloads(this.#db, found, last_seq);
    return { redacted, seq: last_seq };
  }

  #append(request: AppendRequest, pending: Pending): AppendReply {
    const { stream_id, expected, events, key } = request;
    const hashes = events.map((event) => sha256(event.payload));
    let request_hash = "";
    if (key !== undefined) {
      request_hash = request.request_hash ?? requestHash(request, hashes);
      const earlier = this.#sql.command.get(key);
      if (earlier !== undefined) return replay(key, request_hash, earlier);
    }
    const actual = pending.versions.get(stream_id) ?? this.version(stream_id);
    if (expected !== "any" && expected !== actual) {
      throw journalError(
        "conflict",
        `Cannot append to "${stream_id}": it is at version ${actual}, not ${expected}; read it again`,
        { details: { stream_id, expected, actual } },
      );
    }
    const first_seq = pending.tail.seq + 1;
    let { seq, chain } = pending.tail;
    let version = actual;
    events.forEach((event, index) => {
      const hash = hashes[index]!;
      chain = chainValue(chain, ++seq, event.type, hash);
      this.#insert(request, event, seq, ++version, hash, chain);
    });
    if (events.length > 0) {
      pending.tail = { seq, chain };
      pending.versions.set(stream_id, version);
    }
    const reply = { first_seq, last_seq: seq, version };
    if (key !== undefined) {
      this.#sql.new_command.run(key, request_hash, storedResult(reply, request.result));
    }
    return { ...reply, replayed: false, ...(request.result === undefined ? {} : { result: request.result }) };
  }

  #insert(
    { stream_id, ts }: AppendRequest,
    event: EncodedEvent,
    seq: number,
    stream_seq: number,
    hash: string,
    chain: string,
  ): void {
    let payload: string | null = event.payload;
    let refs: string | null = null;
    // A UTF-16 unit is one to three bytes of UTF-8: most payloads are plainly on one side.
    if (payload.length * 3 > BLOB_THRESHOLD) {
      const bytes = new TextEncoder().encode(payload);
      if (bytes.length > BLOB_THRESHOLD) {
        this.#sql.blob.run(hash, bytes, bytes.length);
        payload = null;
        refs = `["${hash}"]`;
      }
    }
    this.#events.add(
      seq,
      stream_id,
      stream_seq,
      event.type,
      event.version,
      ts,
      event.run_id ?? null,
      event.step_id ?? null,
      event.causation_id ?? null,
      payload,
      hash,
      chain,
      refs,
    );
  }

  #blob(bytes: Uint8Array): string {
    if (bytes.length > MAX_BYTES) throw tooLarge("blob");
    const hash = sha256(bytes);
    this.#sql.blob.run(hash, bytes, bytes.length);
    return hash;
  }
}

function requestHash({ stream_id, events }: AppendRequest, hashes: string[]): string {
  const lines = events.map((event, index) => `${event.type}\n${event.version}\n${hashes[index]}`);
  return sha256([stream_id, ...lines].join("\n"));
}

/** The `result` column: the figures of the append and, as `value`, what the caller wants to get back. */
function storedResult(reply: Omit<AppendReply, "replayed" | "result">, result: string | undefined): string {
  const figures = JSON.stringify(reply);
  return result === undefined ? figures : `${figures.slice(0, -1)},"value":${result}}`;
}

function replay(key: string, request_hash: string, earlier: Record<string, unknown>): AppendReply {
  if (earlier.request_hash !== request_hash) {
    throw journalError("conflict", `Cannot append with the key "${key}": it was used for another request`, {
      details: { key },
    });
  }
  const { value, ...reply } = JSON.parse(String(earlier.result));
  return { ...reply, replayed: true, ...(value === undefined ? {} : { result: JSON.stringify(value) }) };
}
