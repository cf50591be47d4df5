import type { DatabaseSync } from "node:sqlite";
import { LuminaError, sha256, type World } from "../base/mod.ts";
import { DiskWatch } from "./disk_watch.ts";
import type { JournalStats, JournalWarning, OpenOptions, VerifyReport } from "./journal.ts";
import { corruptError, fromSqlite, journalError, toWireError } from "./journal_error.ts";
import { openDatabase } from "./open_database.ts";
import { type OwnerNote, removeOwnerNote, writeOwnerNote } from "./owner_note.ts";
import { type Page, PageReader, type PageRequest } from "./read_page.ts";
import { reserveLog } from "./reserve_log.ts";
import { runSql } from "./schema.ts";
import { type ProjectionRow, readOffset, readProjection } from "./side_tables.ts";
import { checkedTail, readTail } from "./tail.ts";
import { verifyDatabase } from "./verify.ts";
import { requestSize, type WriteOutcome, type WriteRequest } from "./write_request.ts";
import { Writer } from "./writer.ts";

/** A checkpoint with its state as JSON text. */
export interface StoredCheckpoint {
  name: string;
  stream_id: string;
  seq: number;
  state: string;
}

/** What a store is told beside what its opener was. */
export interface StoreOptions extends OpenOptions {
  /** Who this process is, for the note of `owner`. */
  note?: OwnerNote;
}

/** A log over this size is emptied at rest; below it its space is kept for the next commits. */
const LOG_AT_REST = 16 * 1024 * 1024;

/**
 * One journal file, synchronous: what the in-thread journal and the worker share. Every method throws `LuminaError`s
 * with the codes of `JournalCode`.
 */
export class SqliteStore {
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #writer: Writer;
  readonly #reader: PageReader;
  readonly #readonly: boolean;
  readonly #owner: OpenOptions["owner"];
  readonly #disk: DiskWatch | undefined;
  #checkpoint: JournalStats["checkpoint"];
  #failure: LuminaError | undefined;
  #closed = false;

  private constructor(
    path: string,
    db: DatabaseSync,
    options: OpenOptions,
    warn: (warning: JournalWarning) => void = () => {},
  ) {
    const readonly = options.readonly ?? false;
    this.#path = path;
    this.#db = db;
    this.#readonly = readonly;
    this.#owner = readonly ? undefined : options.owner;
    // Reading only is also the rescue of a damaged file: it takes the file as it is.
    this.#writer = new Writer(db, readonly ? readTail(db) : checkedTail(db, path));
    this.#reader = new PageReader(db);
    this.#disk = readonly ? undefined : new DiskWatch({
      path,
      reserve_bytes: options.reserve_bytes,
      warn,
      logSize: () => fileSize(`${path}-wal`),
    });
  }

  /** `warn` is told, at opening and later, what a person should know of the disk. */
  static async open(
    path: string,
    options: StoreOptions,
    world: World,
    warn?: (warning: JournalWarning) => void,
  ): Promise<SqliteStore> {
    const db = await openDatabase(path, options, world);
    try {
      const store = new SqliteStore(path, db, options, warn);
      if (store.#owner !== undefined && options.note !== undefined) {
        writeOwnerNote(store.#owner, options.note);
      }
      return store;
    } catch (error) {
      db.close();
      throw fromSqlite(error, "Cannot open", path);
    }
  }

  /** A store over tables that are open already, for reading only; closing it closes them. */
  static over(path: string, db: DatabaseSync): SqliteStore {
    return new SqliteStore(path, db, { readonly: true });
  }

  /**
   * Writes everything in one durable transaction. Throws when it failed as a whole: then nothing was stored, and
   * every later write gets `journal.failed`, because a disk that lost one write has lost our trust in its cache.
   */
  write(requests: readonly WriteRequest[]): WriteOutcome[] {
    if (this.#readonly) {
      throw journalError(
        "readonly",
        `Cannot write to the journal ${this.#path}: it was opened for reading only`,
      );
    }
    if (this.#failure !== undefined) {
      throw journalError(
        "failed",
        `Cannot write to the journal ${this.#path}: an earlier write failed (${this.#failure.code}); open it again`,
        { cause: this.#failure },
      );
    }
    this.#assertOpen();
    if (this.#disk?.low) return this.#writeAllowed(requests, this.#disk);
    return this.#write(requests);
  }

  /** Writes what may use the last space of the disk and refuses the rest. */
  #writeAllowed(requests: readonly WriteRequest[], disk: DiskWatch): WriteOutcome[] {
    const refusals = requests.map((request) => disk.refusal(request));
    const allowed = requests.filter((_, index) => refusals[index] === undefined);
    const written = allowed.length === 0 ? [] : this.#write(allowed);
    let place = 0;
    return refusals.map((error) =>
      error === undefined ? written[place++]! : { ok: false, error: toWireError(error) }
    );
  }

  #write(requests: readonly WriteRequest[]): WriteOutcome[] {
    try {
      const outcomes = this.#writer.write(requests);
      let bytes = 0;
      let redacted = false;
      for (const request of requests) {
        bytes += requestSize(request);
        redacted ||= request.kind === "redact";
      }
      if (redacted) this.#emptyLog();
      this.#disk?.committed(bytes);
      return outcomes;
    } catch (error) {
      this.#failure = fromSqlite(error, "Cannot write to", this.#path);
      try {
        this.#writer.rollback();
      } catch {
        // the first error is the one to tell; no more is written through this connection, closing it rolls back
      }
      throw this.#failure;
    }
  }

  page(request: PageRequest): Page {
    return this.#read(() => this.#reader.page(request));
  }

  version(stream_id: string): number {
    return this.#read(() => this.#writer.version(stream_id));
  }

  head(): number {
    return this.#read(() => this.#writer.tail.seq);
  }

  /** `result` is JSON text: what the caller gave, `null` without one. */
  command(key: string): { request_hash: string; result: string } | undefined {
    return this.#read(() => {
      const row = this.#db.prepare(
        "SELECT request_hash, coalesce(result -> '$.value', 'null') AS result FROM commands WHERE key = ?",
      ).get(key);
      return row && { request_hash: String(row.request_hash), result: String(row.result) };
    });
  }

  blob(hash: string): Uint8Array | undefined {
    return this.#read(() => {
      const bytes = this.#reader.blob(hash);
      if (bytes !== undefined && sha256(bytes) !== hash) {
        throw corruptError(this.#path, `the blob ${hash} has other bytes`);
      }
      return bytes;
    });
  }

  checkpoint(name: string): StoredCheckpoint | undefined {
    return this.#read(() => {
      const row = this.#db.prepare("SELECT stream_id, seq, state, hash FROM checkpoints WHERE name = ?").get(
        name,
      );
      if (row === undefined) return undefined;
      const state = String(row.state);
      if (sha256(state) !== row.hash || Number(row.seq) > this.#writer.tail.seq) return undefined;
      return { name, stream_id: String(row.stream_id), seq: Number(row.seq), state };
    });
  }

  projection(name: string): ProjectionRow | undefined {
    return this.#read(() => readProjection(this.#db, name));
  }

  offset(consumer: string): number {
    return this.#read(() => readOffset(this.#db, consumer, this.#writer.tail.seq));
  }

  verify(): VerifyReport {
    return this.#read(() => verifyDatabase(this.#db));
  }

  stats(): JournalStats {
    return this.#read(() => {
      const wal_bytes = fileSize(`${this.#path}-wal`);
      return {
        events: this.#writer.tail.seq,
        bytes: fileSize(this.#path) + wal_bytes,
        wal_bytes,
        ...(this.#checkpoint === undefined ? {} : { checkpoint: this.#checkpoint }),
      };
    });
  }

  /** Makes room in the log for the next commits; see `reserveLog`. Waits for nothing that a write waits for. */
  async reserveLog(): Promise<void> {
    if (!this.#closed && !this.#readonly && !this.#disk?.low) await reserveLog(this.#path);
  }

  /**
   * Moves the write-ahead log into the file, so that no later commit has to, and empties one that has become large; for
   * moments without work.
   */
  tidy(): void {
    if (this.#closed || this.#readonly || this.#failure !== undefined) return;
    try {
      this.#writer.noteHead();
      if (fileSize(`${this.#path}-wal`) > LOG_AT_REST) this.#emptyLog();
      else this.#checkpointLog("PASSIVE");
      this.#disk?.look();
    } catch (error) {
      const known = fromSqlite(error, "Cannot write to", this.#path);
      // On a full disk everything is still in the log; the next write finds out whether it fits.
      if (known.code !== "journal.full") this.#failure = known;
    }
  }

  /** Moves the write-ahead log into the file, empties it and lets the file go. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      if (!this.#readonly && this.#failure === undefined) {
        this.#writer.noteHead();
        this.#emptyLog();
      }
    } catch (error) {
      const known = fromSqlite(error, "Cannot close", this.#path);
      // On a full disk the log stays beside the file; everything is in it, and the next owner reads it.
      if (known.code !== "journal.full") throw known;
    } finally {
      if (this.#owner !== undefined) removeOwnerNote(this.#owner);
      this.#db.close();
    }
  }

  #emptyLog(): void {
    this.#checkpointLog("TRUNCATE");
  }

  #checkpointLog(mode: "PASSIVE" | "TRUNCATE"): void {
    const [row] = runSql(this.#db, `PRAGMA wal_checkpoint(${mode})`);
    this.#checkpoint = {
      busy: row?.busy !== 0,
      log_pages: Number(row?.log),
      moved_pages: Number(row?.checkpointed),
    };
  }

  #read<T>(action: () => T): T {
    this.#assertOpen();
    try {
      return action();
    } catch (error) {
      throw fromSqlite(error, "Cannot read", this.#path);
    }
  }

  #assertOpen(): void {
    if (this.#closed) throw journalError("closed", `The journal ${this.#path} is closed`);
  }
}

/** Size of a file in bytes, 0 when there is none. Looks without opening: see `openDatabase`. */
function fileSize(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}
