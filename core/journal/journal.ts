import type { Json, NewEvent, StoredEvent } from "../types/mod.ts";

/** How an append is made safe to repeat. */
export interface AppendOptions {
  /** Idempotency key, unique in the journal; stored in `commands` in the transaction of the events. */
  key?: string;
  /** Hash of what was asked under `key`; without it the hash of the stream and its events stands. */
  request_hash?: string;
  /** What a repeated append with this key gets back. */
  result?: Json;
}

/** Where appended events are. With no events (a command that changed nothing) `first_seq` is `last_seq + 1`. */
export interface AppendResult {
  first_seq: number;
  last_seq: number;
  /** Version of the stream after these events. */
  version: number;
  /** True when the key was known: nothing was appended, the figures are those of the first time. */
  replayed: boolean;
  result?: Json;
}

export interface ReadOptions {
  /** Only events with a greater `seq`; 0 by default. */
  after?: number;
  /** At most this many events, 1 to 5000; 1000 by default. A shorter answer means that there are no more. */
  limit?: number;
  /** Only this stream. */
  stream_id?: string;
}

/** A fold's state as of `seq`, so that a reader starts there. Disposable: the events alone are the truth. */
export interface Checkpoint {
  name: string;
  stream_id: string;
  /** The last event that the state contains. */
  seq: number;
  state: Json;
}

export interface VerifyReport {
  ok: boolean;
  events: number;
  /** One line for each thing that is wrong, at most 100. */
  problems: string[];
}

export interface JournalStats {
  events: number;
  /** Size of the file and its write-ahead log. */
  bytes: number;
}

/**
 * One append-only file of events: the only truth of a session or a run. Every promise may reject with a
 * `LuminaError` whose code is one of `JournalCode`.
 */
export interface Journal {
  /**
   * Appends events to a stream, all or none, and resolves when they are on disk (fsynced). `expected` is the version
   * of the stream the caller has seen (0 for a new one) or "any". Waiting appends share one transaction; each keeps
   * its own success or failure.
   *
   * Throws `journal.conflict` for a stale version (details `stream_id, expected, actual`) and for a key that was used
   * with another request; `journal.full` and `journal.io` when the disk refuses (nothing was stored), after which
   * every write gets `journal.failed` until the file is opened again.
   */
  append(
    stream_id: string,
    expected: number | "any",
    events: readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<AppendResult>;

  /**
   * Committed events in `seq` order. An event whose payload is damaged or gone is read as type `DAMAGED_EVENT` with
   * payload `{ type, version, problem }`, so that the rest stays usable.
   */
  read(options?: ReadOptions): Promise<StoredEvent[]>;

  /** Version of a stream: the number of its events, 0 when it has none. */
  version(stream_id: string): Promise<number>;

  /** `seq` of the last event, 0 when there is none. */
  head(): Promise<number>;

  /** What was stored under an idempotency key. */
  command(key: string): Promise<{ request_hash: string; result: Json } | undefined>;

  /** Stores bytes under their SHA-256 and resolves with it when they are on disk. */
  putBlob(bytes: Uint8Array): Promise<string>;

  /** The bytes with this SHA-256. Throws `journal.corrupt` when what is stored has another hash. */
  getBlob(sha256: string): Promise<Uint8Array | undefined>;

  /** The checkpoint of this name; undefined when there is none or it is damaged. */
  checkpoint(name: string): Promise<Checkpoint | undefined>;

  /** Replaces the checkpoint of this name. `seq` must not be past the head. */
  putCheckpoint(checkpoint: Checkpoint): Promise<void>;

  /** Reads everything and checks contiguity, payload hashes, the chain, blobs and the file itself. */
  verify(): Promise<VerifyReport>;

  stats(): Promise<JournalStats>;

  /** Waits for queued writes, truncates the write-ahead log and lets the file go. A second call does nothing. */
  close(): Promise<void>;
}

/** How a file is opened. */
export interface OpenOptions {
  /** Make a new journal when there is none (mode 0600; the directory must exist). */
  create?: boolean;
  /** Only read; for lists and for the rescue of damaged files. Takes no lock when no owner is there. */
  readonly?: boolean;
  /** Largest size in pages of 4096 bytes; a file that is full gives `journal.full`. Unlimited by default. */
  max_pages?: number;
}

/** Type under which an event with a damaged or missing payload is read. */
export const DAMAGED_EVENT = "journal.damaged";
