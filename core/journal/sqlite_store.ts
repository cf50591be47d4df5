import type { DatabaseSync } from "node:sqlite";
import { LuminaError, sha256, type World } from "../base/mod.ts";
import type { JournalStats, OpenOptions, VerifyReport } from "./journal.ts";
import { corruptError, fromSqlite, journalError } from "./journal_error.ts";
import { openDatabase } from "./open_database.ts";
import { type Page, PageReader, type PageRequest } from "./read_page.ts";
import { runSql } from "./schema.ts";
import { checkedTail, readTail } from "./tail.ts";
import { verifyDatabase } from "./verify.ts";
import type { WriteOutcome, WriteRequest } from "./write_request.ts";
import { Writer } from "./writer.ts";

/** A checkpoint with its state as JSON text. */
export interface StoredCheckpoint {
  name: string;
  stream_id: string;
  seq: number;
  state: string;
}

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
  #failure: LuminaError | undefined;
  #closed = false;

  private constructor(path: string, db: DatabaseSync, readonly: boolean) {
    this.#path = path;
    this.#db = db;
    this.#readonly = readonly;
    // Reading only is also the rescue of a damaged file: it takes the file as it is.
    this.#writer = new Writer(db, readonly ? readTail(db) : checkedTail(db, path));
    this.#reader = new PageReader(db);
  }

  static async open(path: string, options: OpenOptions, world: World): Promise<SqliteStore> {
    const db = await openDatabase(path, options, world);
    try {
      return new SqliteStore(path, db, options.readonly ?? false);
    } catch (error) {
      db.close();
      throw fromSqlite(error, "Cannot open", path);
    }
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
    try {
      return this.#writer.write(requests);
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

  verify(): VerifyReport {
    return this.#read(() => verifyDatabase(this.#db));
  }

  stats(): JournalStats {
    return this.#read(() => ({
      events: this.#writer.tail.seq,
      bytes: fileSize(this.#path) + fileSize(`${this.#path}-wal`),
    }));
  }

  /** Moves the write-ahead log into the file, so that no later commit has to; for moments without work. */
  tidy(): void {
    if (this.#closed || this.#readonly || this.#failure !== undefined) return;
    try {
      runSql(this.#db, "PRAGMA wal_checkpoint(PASSIVE)");
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
      if (!this.#readonly && this.#failure === undefined) runSql(this.#db, "PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      const known = fromSqlite(error, "Cannot close", this.#path);
      // On a full disk the log stays beside the file; everything is in it, and the next owner reads it.
      if (known.code !== "journal.full") throw known;
    } finally {
      this.#db.close();
    }
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
