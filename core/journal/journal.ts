import type { Json, NewEvent, StoredEvent } from "../types/mod.ts";

/** How an append is made safe to repeat. */
export interface AppendOptions {
  /** Idempotency key, unique in the journal; stored in `commands` in the transaction of the events. */
  key?: string;
  /** Hash of what was asked under `key`; without it the hash of the stream and its events stands. */
  request_hash?: string;
  /** What a repeated append with this key gets back. */
  result?: Json;
  /** For what ends work: may use the disk space that is kept free for it (`OpenOptions.reserve_bytes`). */
  reserve?: "use";
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

/** A fold's state as of `seq`, made by version `version` of its fold. Disposable, as a checkpoint is. */
export interface StoredProjection {
  name: string;
  version: number;
  /** The last event that the state contains. */
  seq: number;
  state: Json;
}

/** Which payloads are to be forgotten. */
export interface Redaction {
  /** Their events' numbers. */
  seqs: readonly number[];
  /** Kept for good, so it must not hold what is to be forgotten. */
  reason: string;
  /** Who wants it: a person or a part of Lumina. */
  by: string;
}

export interface RedactionResult {
  /** The events that were redacted by this call; others were redacted before. */
  redacted: number[];
  /** The event that says why; missing when nothing was left to redact. */
  seq?: number;
}

export interface VerifyReport {
  ok: boolean;
  events: number;
  /** Events without payload because someone wanted it so; left out when there are none. */
  redacted?: number;
  /** One line for each thing that is wrong, at most 100. */
  problems: string[];
}

export interface JournalStats {
  events: number;
  /** Size of the file and its write-ahead log. */
  bytes: number;
  /** Size of the write-ahead log. */
  wal_bytes: number;
  /** What the last checkpoint at rest said: whether it was kept from its end, pages in the log, pages moved. */
  checkpoint?: { busy: boolean; log_pages: number; moved_pages: number };
}

/** Something about a journal that a person should know, though it works. */
export interface JournalWarning {
  code: "network_file_system" | "large_log" | "low_space";
  /** One line: what it means and what to do. */
  message: string;
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
   * payload `{ type, version, problem }`, so that the rest stays usable; a redacted one as `REDACTED_EVENT` with
   * payload `{ type, version, redacted_by }`.
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

  /** The projection of this name; undefined when there is none, or it is damaged or not made from these events. */
  projection(name: string): Promise<StoredProjection | undefined>;

  /** Replaces the projection of this name. `seq` must not be past the head. */
  putProjection(projection: StoredProjection): Promise<void>;

  /** The last event that a consumer is done with, 0 for one that is new. */
  offset(consumer: string): Promise<number>;

  /**
   * Notes what a consumer is done with. Throws `journal.invalid` past the head, and for a step back unless `reset` is
   * set.
   */
  setOffset(consumer: string, seq: number, options?: { reset?: boolean }): Promise<void>;

  /**
   * Forgets payloads for good: their text, blobs that nothing else names, and what was derived from events
   * (checkpoints, projections, results stored under their keys) is gone from the file and its log. Hashes and the chain
   * stay, and an event of type `REDACTION_EVENT` in the stream `JOURNAL_STREAM` says which and why. Throws
   * `journal.invalid` for a number that no event has, or that of a redaction itself.
   */
  redact(redaction: Redaction): Promise<RedactionResult>;

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
  /**
   * Space that stays free on the disk, so that what runs can record its end: with less, appends give `journal.full`
   * unless they may use it. 200 MB by default, 0 for none.
   */
  reserve_bytes?: number;
  /** Where the owner's note lies, outside the folder of the journal: it tells others who has the file open. */
  owner?: { dir: string; name: string };
  /** Where a copy is kept before a file of an older Lumina is brought up to date. Without it such a file can only be read. */
  backup_dir?: string;
}

/** Type under which an event with a damaged or missing payload is read. */
export const DAMAGED_EVENT = "journal.damaged";

/** Type under which an event is read whose payload was redacted. */
export const REDACTED_EVENT = "journal.withheld";

/** Type of the event that says which payloads were redacted, by whom and why: `{ seqs, reason, by }`. */
export const REDACTION_EVENT = "journal.redacted";

/** The stream of what concerns the journal itself. */
export const JOURNAL_STREAM = "journal";
