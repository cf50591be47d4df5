import { DatabaseSync } from "node:sqlite";
import type { SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { segment } from "./search_terms.ts";

/** Version of tables and terms. An index of another version is made again. */
const VERSION = 2;
/** How long one search waits for another that is writing, milliseconds. */
const PATIENCE_MS = 20_000;

const TABLES = [
  `CREATE TABLE sessions (
    id TEXT PRIMARY KEY, inode INTEGER NOT NULL, place TEXT NOT NULL, seq INTEGER NOT NULL, answer INTEGER NOT NULL,
    archived INTEGER NOT NULL, title TEXT NOT NULL, titled INTEGER NOT NULL, cwd TEXT NOT NULL
  ) WITHOUT ROWID`,
  `CREATE TABLE entries (
    id INTEGER PRIMARY KEY, session TEXT NOT NULL, seq INTEGER NOT NULL, role TEXT NOT NULL, ts INTEGER NOT NULL,
    text TEXT NOT NULL
  )`,
  "CREATE INDEX entries_by_session ON entries (session, seq)",
  // what is found is read from the entries; the terms alone are kept here
  `CREATE VIRTUAL TABLE terms USING fts5(title, text, tool, content='', tokenize='unicode61 remove_diacritics 2')`,
  // what is deleted leaves the file at once
  "INSERT INTO terms (terms, rank) VALUES ('secure-delete', 1)",
];

export type EntryRole = "title" | "user" | "assistant" | "tool";

/** A text that can be found. */
export interface IndexEntry {
  seq: number;
  role: EntryRole;
  ts: number;
  text: string;
}

/** What the index knows of a session. */
export interface IndexedSession {
  id: string;
  /** Which file it was read from; 0 where the system has no such number. */
  inode: number;
  /** Size and time of the files when they were read: while these are the same, nothing is new. */
  place: string;
  /** The last event that was read. */
  seq: number;
  /** The event of the last answer, to which results of tools belong. */
  answer: number;
  archived: boolean;
  title: string;
  /** A person or a model gave the title; else it comes from the first prompt. */
  titled: boolean;
  cwd: string;
}

/** News of one session. `cuts` are done in order, each before the entries that came after it. */
export interface SessionNews {
  session: IndexedSession;
  /** Where the reader began: 0 takes out everything that was known before. */
  after: number;
  /** In the order of the events. */
  changes: (
    | IndexEntry
    /** Back to a message: a prompt goes as well, an answer stays. */
    | { cut: number }
  )[];
}

export interface FoundEntry extends IndexEntry {
  session: string;
  title: string;
  cwd: string;
  archived: boolean;
}

type Row = Record<string, SQLOutputValue>;

/**
 * The full-text index over all sessions: a disposable projection of their journals. Several processes may use it at
 * once. Throws what SQLite throws.
 */
export class SearchIndex {
  readonly #db: DatabaseSync;
  readonly #inode: number | null;
  #statements = new Map<string, StatementSync>();

  constructor(readonly file: string) {
    makeFile(file);
    this.#db = new DatabaseSync(file);
    this.#inode = Deno.statSync(file).ino;
    try {
      this.#run(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
      this.#run("PRAGMA synchronous = OFF"); // it can be made again
      this.#run("PRAGMA secure_delete = ON");
      this.#run("PRAGMA cache_size = -16000");
      this.#makeTables();
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** False when another process has put a new index in the place of this one. */
  get current(): boolean {
    try {
      return Deno.statSync(this.file).ino === this.#inode;
    } catch {
      return false; // deleted
    }
  }

  sessions(): Map<string, IndexedSession> {
    const rows = this.#run("SELECT * FROM sessions").map((row): IndexedSession => ({
      id: String(row["id"]),
      inode: Number(row["inode"]),
      place: String(row["place"]),
      seq: Number(row["seq"]),
      answer: Number(row["answer"]),
      archived: row["archived"] === 1,
      title: String(row["title"]),
      titled: row["titled"] === 1,
      cwd: String(row["cwd"]),
    }));
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Takes in news and forgets sessions, in one transaction. News that another process has brought meanwhile stays. */
  update(news: readonly SessionNews[], gone: readonly string[]): void {
    this.#transaction(() => {
      for (const id of gone) this.#forget(id);
      for (const item of news) this.#take(item);
    });
  }

  /** The best entries for an FTS5 expression. */
  find(
    expression: string,
    filter: { cwd: string | undefined; archived: boolean; limit: number },
  ): FoundEntry[] {
    const rows = this.#run(
      `SELECT e.seq, e.role, e.ts, e.text, e.session, s.title, s.cwd, s.archived, bm25(terms, 3.0, 1.0, 0.5) AS score
        FROM terms JOIN entries e ON e.id = terms.rowid JOIN sessions s ON s.id = e.session
        WHERE terms MATCH ? AND (? IS NULL OR s.cwd = ?) AND s.archived <= ?
        ORDER BY score, e.ts DESC, e.id DESC LIMIT ?`,
      expression,
      filter.cwd ?? null,
      filter.cwd ?? null,
      filter.archived ? 1 : 0,
      filter.limit,
    );
    return rows.map((row) => ({
      ...entryOf(row),
      session: String(row["session"]),
      title: String(row["title"]),
      cwd: String(row["cwd"]),
      archived: row["archived"] === 1,
    }));
  }

  close(): void {
    this.#db.close();
  }

  #take({ session, after, changes }: SessionNews): void {
    const [known] = this.#run("SELECT seq, inode FROM sessions WHERE id = ?", session.id);
    const before = Number(known?.["seq"] ?? 0);
    if (after === 0) this.#forget(session.id);
    else if (before !== after || Number(known?.["inode"]) !== session.inode) return; // another process was faster
    this.#run("DELETE FROM sessions WHERE id = ?", session.id);
    this.#run(
      "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      session.id,
      session.inode,
      session.place,
      session.seq,
      session.answer,
      session.archived ? 1 : 0,
      session.title,
      session.titled ? 1 : 0,
      session.cwd,
    );
    for (const change of changes) {
      if ("cut" in change) this.#cut(session.id, change.cut);
      else if (change.role === "title") this.#retitle(session.id, change);
      else this.#add(session.id, change);
    }
  }

  #add(session: string, { seq, role, ts, text }: IndexEntry): void {
    const [made] = this.#run(
      "INSERT INTO entries (session, seq, role, ts, text) VALUES (?, ?, ?, ?, ?) RETURNING id",
      session,
      seq,
      role,
      ts,
      text.toWellFormed().replaceAll("\0", "\ufffd"),
    );
    this.#run(
      "INSERT INTO terms (rowid, title, text, tool) VALUES (?, ?, ?, ?)",
      Number(made?.["id"]),
      ...columns(role, text),
    );
  }

  #retitle(session: string, entry: IndexEntry): void {
    this.#drop(this.#run("SELECT * FROM entries WHERE session = ? AND role = 'title'", session));
    this.#add(session, { ...entry, seq: 0 });
  }

  #cut(session: string, to: number): void {
    const prompt = this.#run(
      "SELECT 1 FROM entries WHERE session = ? AND seq = ? AND role = 'user'",
      session,
      to,
    );
    this.#drop(
      this.#run(
        "SELECT * FROM entries WHERE session = ? AND seq >= ?",
        session,
        prompt.length > 0 ? to : to + 1,
      ),
    );
  }

  #forget(session: string): void {
    this.#drop(this.#run("SELECT * FROM entries WHERE session = ?", session));
    this.#run("DELETE FROM sessions WHERE id = ?", session);
  }

  /** The terms of a row can only be taken out by those who know them. */
  #drop(rows: readonly Row[]): void {
    for (const row of rows) {
      const id = Number(row["id"]);
      const { role, text } = entryOf(row);
      this.#run(
        "INSERT INTO terms (terms, rowid, title, text, tool) VALUES ('delete', ?, ?, ?, ?)",
        id,
        ...columns(role, text),
      );
      this.#run("DELETE FROM entries WHERE id = ?", id);
    }
  }

  #makeTables(): void {
    if (Number(this.#run("PRAGMA user_version")[0]?.["user_version"]) === VERSION) return;
    this.#transaction(() => {
      const version = Number(this.#run("PRAGMA user_version")[0]?.["user_version"]);
      if (version === VERSION) return; // another process was faster
      this.#run("DROP TABLE IF EXISTS terms");
      this.#run("DROP TABLE IF EXISTS entries");
      this.#run("DROP TABLE IF EXISTS sessions");
      for (const table of TABLES) this.#run(table);
      this.#run(`PRAGMA user_version = ${VERSION}`);
    });
  }

  #transaction(body: () => void): void {
    this.#run("BEGIN IMMEDIATE");
    try {
      body();
      this.#run("COMMIT");
    } catch (error) {
      try {
        this.#run("ROLLBACK");
      } catch {
        // the file itself is failing: the first error says it
      }
      throw error;
    }
  }

  /** Unlike `exec()`, a prepared statement reports SQLite's result code in every Deno. */
  #run(sql: string, ...values: SQLInputValue[]): Row[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      if (/^(SELECT|INSERT|DELETE)/.test(sql)) this.#statements.set(sql, statement);
    }
    return statement.all(...values);
  }
}

/** An empty file with mode 0600 where there is none. One that is there is not opened: closing it would drop SQLite's locks. */
function makeFile(file: string): void {
  try {
    Deno.openSync(file, { createNew: true, write: true, mode: 0o600 }).close();
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

function entryOf(row: Row): IndexEntry {
  return {
    seq: Number(row["seq"]),
    role: String(row["role"]) as EntryRole,
    ts: Number(row["ts"]),
    text: String(row["text"]),
  };
}

/** What stands in the columns of `terms`: made from the stored text, so that the same comes out when it is deleted. */
function columns(role: EntryRole, text: string): [string | null, string | null, string | null] {
  const terms = segment(text.replaceAll("\0", "\ufffd"));
  return role === "title" ? [terms, null, null] : role === "tool" ? [null, null, terms] : [null, terms, null];
}
