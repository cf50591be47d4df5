import { DatabaseSync } from "node:sqlite";
import type { StatementSync } from "node:sqlite";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { errorMessage, LuminaError, sha256 } from "../base/mod.ts";
import { decodeTree } from "./tree.ts";
import type { Tree } from "./tree.ts";

/** Objects up to this size are compressed when that saves a tenth. */
const MAX_DEFLATE = 4 * 1024 * 1024;
const MIN_DEFLATE = 128;
/** Trees that are kept in memory. */
const MAX_TREES = 20_000;

const SCHEMA = `
  CREATE TABLE objects (hash TEXT PRIMARY KEY, deflated INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
  CREATE TABLE snapshots (session_id TEXT NOT NULL, hash TEXT NOT NULL, ts INTEGER NOT NULL,
    PRIMARY KEY (session_id, hash)) STRICT;
  CREATE TABLE folders (path TEXT PRIMARY KEY, row TEXT NOT NULL) STRICT;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  INSERT INTO facts VALUES ('generation', 0);
`;
const VERSION = 1;

/** What a capture writes in one transaction. */
export interface CaptureBatch {
  /** Rows of the stat cache that are new, by folder; null takes one away. */
  folders: ReadonlyMap<string, string | null>;
  /** The snapshot that is complete with this batch. */
  snapshot?: { session_id: string; hash: string; ts: number };
}

/**
 * The captured files and folders of one project: one SQLite file (WAL, `synchronous=FULL`, mode 0600) of objects named by
 * the SHA-256 of their content, the snapshots that sessions refer to, and the stat cache. Several processes may use it at
 * once. Throws `rewind.store` when the file cannot be used, `rewind.missing` for an object that is not there.
 */
export class SnapshotStore {
  readonly #db: DatabaseSync;
  readonly #file: string;
  readonly #statements = new Map<string, StatementSync>();
  readonly #trees = new Map<string, Tree>();
  #pending = new Map<string, Uint8Array<ArrayBuffer>>();
  #pending_bytes = 0;

  private constructor(db: DatabaseSync, file: string) {
    this.#db = db;
    this.#file = file;
  }

  /** Opens the store; makes it when `create` says so. */
  static open(file: string, { create }: { create: boolean }): SnapshotStore {
    try {
      if (create) Deno.openSync(file, { write: true, create: true, mode: 0o600 }).close();
      else Deno.statSync(file);
      const db = new DatabaseSync(file);
      try {
        prepare(db, file);
      } catch (error) {
        db.close();
        throw error;
      }
      return new SnapshotStore(db, file);
    } catch (error) {
      throw storeError("open", file, error);
    }
  }

  /** Changes whenever objects are deleted: what is known to be stored is known no longer. */
  get generation(): number {
    return this.#number("SELECT value FROM facts WHERE name = 'generation'");
  }

  /** Bytes in use. */
  get bytes(): number {
    const size = this.#number("SELECT page_size FROM pragma_page_size");
    const pages = this.#number("SELECT page_count FROM pragma_page_count");
    return size * (pages - this.#number("SELECT freelist_count FROM pragma_freelist_count"));
  }

  /** Content that waits for `write`, in bytes. */
  get pending_bytes(): number {
    return this.#pending_bytes;
  }

  /** Takes content in and gives its name. It is stored with the next `write`. */
  put(content: Uint8Array<ArrayBuffer>): string {
    const hash = sha256(content);
    if (this.#pending.has(hash) || this.has(hash)) return hash;
    this.#pending.set(hash, content);
    this.#pending_bytes += content.length;
    return hash;
  }

  has(hash: string): boolean {
    return this.#guard("read", () => this.#statement("SELECT 1 FROM objects WHERE hash = ?").get(hash)) !==
      undefined;
  }

  /** Forgets what was put and not written. */
  drop(): void {
    this.#pending = new Map();
    this.#pending_bytes = 0;
  }

  /**
   * Commits what was put, with the batch. False while another process writes: try again. Throws `rewind.collected` when
   * objects were deleted since `generation` was read: then the capture must begin anew.
   */
  write(batch: CaptureBatch, generation: number): boolean {
    try {
      this.#statement("BEGIN IMMEDIATE").run(); // unlike `exec`, it says in every Deno that the file is busy
    } catch (error) {
      if (isBusy(error)) return false;
      throw storeError("write", this.#file, error);
    }
    try {
      if (this.generation !== generation) {
        throw new LuminaError("rewind.collected", `Objects of ${this.#file} were deleted meanwhile`, {
          retry: "backoff",
        });
      }
      const insert = this.#statement("INSERT OR IGNORE INTO objects VALUES (?, ?, ?)");
      for (const [hash, content] of this.#pending) {
        const packed = pack(content);
        insert.run(hash, packed.deflated ? 1 : 0, packed.data);
      }
      for (const [path, row] of batch.folders) {
        if (row === null) this.#statement("DELETE FROM folders WHERE path = ?").run(path);
        else this.#statement("INSERT OR REPLACE INTO folders VALUES (?, ?)").run(path, row);
      }
      if (batch.snapshot !== undefined) {
        const { session_id, hash, ts } = batch.snapshot;
        this.#statement("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)").run(session_id, hash, ts);
      }
      this.#db.exec("COMMIT");
    } catch (error) {
      this.#rollback();
      throw storeError("write", this.#file, error);
    }
    this.drop();
    return true;
  }

  /** The content of an object. */
  read(hash: string): Uint8Array<ArrayBuffer> {
    const waiting = this.#pending.get(hash);
    if (waiting !== undefined) return waiting;
    const row = this.#guard(
      "read",
      () => this.#statement("SELECT deflated, data FROM objects WHERE hash = ?").get(hash),
    );
    if (row === undefined) {
      throw new LuminaError("rewind.missing", `The snapshot store ${this.#file} no longer has ${hash}`);
    }
    const data = row["data"] as Uint8Array<ArrayBuffer>;
    const content = row["deflated"] === 1 ? new Uint8Array(inflateRawSync(data)) : data;
    if (sha256(content) !== hash) {
      throw new LuminaError("rewind.damaged", `The object ${hash} of ${this.#file} is damaged`);
    }
    return content;
  }

  /** The entries of a stored directory or snapshot. */
  tree(hash: string): Tree {
    let tree = this.#trees.get(hash);
    if (tree === undefined) {
      tree = decodeTree(this.read(hash));
      if (this.#trees.size >= MAX_TREES) this.#trees.clear();
      this.#trees.set(hash, tree);
    }
    return tree;
  }

  /** The stat cache: a row for each folder. */
  folders(): Map<string, string> {
    const rows = this.#guard("read", () => this.#statement("SELECT path, row FROM folders").all());
    return new Map(rows.map((row) => [String(row["path"]), String(row["row"])]));
  }

  /** True when the session has the snapshot here already. */
  knows(session_id: string, hash: string): boolean {
    return this.#guard(
      "read",
      () =>
        this.#statement("SELECT 1 FROM snapshots WHERE session_id = ? AND hash = ?").get(session_id, hash),
    ) !== undefined;
  }

  /** All snapshots, oldest first. */
  snapshots(): { session_id: string; hash: string; ts: number }[] {
    return this.#guard(
      "read",
      () => this.#statement("SELECT session_id, hash, ts FROM snapshots ORDER BY ts, rowid").all(),
    ).map((row) => ({
      session_id: String(row["session_id"]),
      hash: String(row["hash"]),
      ts: Number(row["ts"]),
    }));
  }

  /** Lets the session `to` keep what `from` has. False while another process writes: try again. */
  share(from: string, to: string): boolean {
    try {
      this.#statement(
        "INSERT OR IGNORE INTO snapshots SELECT ?, hash, ts FROM snapshots WHERE session_id = ? ORDER BY ts, rowid",
      ).run(to, from);
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw storeError("write", this.#file, error);
    }
  }

  /** Name and stored bytes of every object. */
  objects(): { hash: string; bytes: number }[] {
    return this.#guard("read", () => this.#statement("SELECT hash, length(data) AS bytes FROM objects").all())
      .map((row) => ({ hash: String(row["hash"]), bytes: Number(row["bytes"]) }));
  }

  /**
   * Runs `body` in one transaction; it says which snapshots and objects go. The space is given back to the file system.
   * False while another process writes: try again.
   */
  remove(
    body: () => { snapshots: readonly { session_id: string; hash: string }[]; objects: readonly string[] },
  ): boolean {
    try {
      this.#statement("BEGIN IMMEDIATE").run(); // unlike `exec`, it says in every Deno that the file is busy
    } catch (error) {
      if (isBusy(error)) return false;
      throw storeError("clean up", this.#file, error);
    }
    try {
      const { snapshots, objects } = body();
      const forget = this.#statement("DELETE FROM snapshots WHERE session_id = ? AND hash = ?");
      for (const { session_id, hash } of snapshots) forget.run(session_id, hash);
      if (objects.length > 0) {
        const remove = this.#statement("DELETE FROM objects WHERE hash = ?");
        for (const hash of objects) remove.run(hash);
        this.#db.exec("DELETE FROM folders; UPDATE facts SET value = value + 1 WHERE name = 'generation'");
        this.#trees.clear();
      }
      // inside the transaction, where no other process can be writing; not `exec`: it gives one page for each step
      this.#db.prepare("PRAGMA incremental_vacuum").all();
      this.#db.exec("COMMIT");
      this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch (error) {
      this.#rollback();
      throw storeError("clean up", this.#file, error);
    }
    return true;
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #rollback(): void {
    try {
      this.#db.exec("ROLLBACK");
    } catch {
      // no transaction is open any more: the first error is the one to tell
    }
  }

  #number(sql: string): number {
    const row = this.#guard("read", () => this.#statement(sql).get());
    return Number(Object.values(row ?? {})[0]);
  }

  #guard<T>(action: string, body: () => T): T {
    try {
      return body();
    } catch (error) {
      throw storeError(action, this.#file, error);
    }
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, statement = this.#db.prepare(sql));
    return statement;
  }
}

function prepare(db: DatabaseSync, file: string): void {
  db.exec("PRAGMA busy_timeout = 2000; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
  const version = () => Number(Object.values(db.prepare("PRAGMA user_version").get() ?? {})[0]);
  if (version() === 0) {
    db.exec("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL");
    db.exec("BEGIN IMMEDIATE");
    if (version() === 0) db.exec(`${SCHEMA}; PRAGMA user_version = ${VERSION}`);
    db.exec("COMMIT");
  }
  if (version() !== VERSION) {
    throw new LuminaError("rewind.store", `${file} was written by a newer Lumina: use that one`);
  }
  db.exec("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 16777216; PRAGMA busy_timeout = 0");
}

function pack(content: Uint8Array<ArrayBuffer>): { deflated: boolean; data: Uint8Array } {
  if (content.length < MIN_DEFLATE || content.length > MAX_DEFLATE) return { deflated: false, data: content };
  const data = deflateRawSync(content, { level: 1 });
  return data.length < content.length * 0.9 ? { deflated: true, data } : { deflated: false, data: content };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && /locked|busy/i.test(error.message);
}

function storeError(action: string, file: string, cause: unknown): LuminaError {
  if (cause instanceof LuminaError) return cause;
  if (cause instanceof Deno.errors.NotFound) {
    return new LuminaError("rewind.missing", `There is no snapshot store ${file}`, { cause });
  }
  const said = errorMessage(cause);
  const hint = /not a database|malformed/.test(said) ? "; move it away, and a new one is begun" : "";
  return new LuminaError("rewind.store", `Cannot ${action} the snapshot store ${file}: ${said}${hint}`, {
    cause,
  });
}
