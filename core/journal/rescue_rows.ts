import type { DatabaseSync, SQLOutputValue } from "node:sqlite";

export type Row = Record<string, SQLOutputValue>;

/** Rows that are read at once. Small enough that a damaged page costs few further reads. */
const CHUNK = 512;

/**
 * Reads the rows 1 to `last` of a table whose pages may be damaged: where a range cannot be read it is halved, down to
 * the single row. `columns` is what is selected beside the row's number, which is given as `rowid`.
 */
export function* readableRows(
  db: DatabaseSync,
  table: string,
  columns: string,
  last: number,
): Generator<Row> {
  const select = db.prepare(
    // the table itself: an index may be damaged, or know other rows
    `SELECT rowid AS rowid, ${columns} FROM ${table} NOT INDEXED WHERE rowid > ? AND rowid <= ? ORDER BY rowid`,
  );
  function* range(after: number, to: number): Generator<Row> {
    let rows: Row[];
    try {
      rows = select.all(after, to);
    } catch {
      // what cannot be read is missing in the answer: the caller counts
      if (to - after <= 1) return;
      const middle = after + Math.floor((to - after) / 2);
      yield* range(after, middle);
      yield* range(middle, to);
      return;
    }
    yield* rows;
  }
  for (let after = 0; after < last; after += CHUNK) yield* range(after, Math.min(after + CHUNK, last));
}

/** The greatest row number that a table seems to have, 0 when nothing tells. It may be damaged: `most` is a bound. */
export function lastRow(db: DatabaseSync, table: string, most: number): number {
  for (
    const query of [`SELECT max(rowid) AS n FROM ${table} NOT INDEXED`, `SELECT count(*) AS n FROM ${table}`]
  ) {
    try {
      const n = db.prepare(query).get()?.n;
      if (typeof n === "number" && n > 0) return Math.min(n, most);
    } catch {
      // that way is damaged: the next one may not be
    }
  }
  return 0;
}
