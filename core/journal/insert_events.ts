import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** Columns of `events` that an append fills, in the order of `EventRow`. */
const COLUMNS = [
  "seq",
  "stream_id",
  "stream_seq",
  "type",
  "version",
  "ts",
  "run_id",
  "step_id",
  "causation_id",
  "payload",
  "payload_hash",
  "chain",
  "blob_refs",
] as const;

/** Rows of the largest statement; its values stay far below SQLite's limit of parameters. */
const LARGEST = 64;

/** Inserts events with few statements: each call of SQLite costs as much as three rows of one call. */
export class EventInserter {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<number, StatementSync>();
  #values: SQLInputValue[] = [];
  #rows = 0;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Takes the values of one row; they are in the table after `flush`. */
  add(...values: [...SQLInputValue[]] & { length: typeof COLUMNS.length }): void {
    this.#values.push(...values);
    if (++this.#rows === LARGEST) this.flush();
  }

  /** Inserts what was added. */
  flush(): void {
    const values = this.#values;
    let rows = this.#rows;
    this.#values = [];
    this.#rows = 0;
    // Powers of two: few statements serve every number of rows.
    for (let place = 0; rows > 0;) {
      const count = 1 << (31 - Math.clz32(rows));
      const part = place === 0 && count === rows
        ? values
        : values.slice(place, place + count * COLUMNS.length);
      this.#statement(count).run(...part);
      place += count * COLUMNS.length;
      rows -= count;
    }
  }

  /** Forgets what was added, after a transaction that failed. */
  clear(): void {
    this.#values = [];
    this.#rows = 0;
  }

  /** Any refusal fails the whole transaction, and `OR ROLLBACK` saves SQLite a journal for each statement. */
  #statement(rows: number): StatementSync {
    let statement = this.#statements.get(rows);
    if (statement === undefined) {
      const row = `(${COLUMNS.map(() => "?").join(",")})`;
      const all = new Array(rows).fill(row).join(",");
      statement = this.#db.prepare(`INSERT OR ROLLBACK INTO events (${COLUMNS.join(", ")}) VALUES ${all}`);
      this.#statements.set(rows, statement);
    }
    return statement;
  }
}
