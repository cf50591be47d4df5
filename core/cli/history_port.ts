/** One summary as a list shows it. Times are milliseconds since 1970. */
export interface HistoryRow {
  /** From 1, in the order in which the summaries were made. */
  number: number;
  ts: number;
  /** The numbers of the first and last message it covers; 0 to 0 when an imported summary does not say. */
  from: number;
  to: number;
  title: string;
  tags: string[];
  model: string;
  /** The first 300 characters of the summary. */
  preview: string;
}

export interface HistoryListing {
  session_id: string;
  /** How many fit the query. */
  total: number;
  /** Newest first. */
  entries: HistoryRow[];
  /** What writing the summaries has used. `cost_usd` is null when a price is unknown. */
  spent: {
    usage: { input: number; output: number; cache_read: number; cache_write: number };
    cost_usd: number | null;
  };
}

/** One summary in full, with the first and last of its messages. */
export interface HistoryDetail extends Omit<HistoryRow, "preview"> {
  session_id: string;
  summary: string;
  messages: { seq: number; role: "user" | "assistant"; text: string }[];
  /** Messages between the first and the last ones that are not shown. */
  omitted: number;
}

/** The summaries of a saved session. */
export interface HistoryPort {
  /** At most `limit` (20 unless given, never more than 100); with a query those that hold this very text. */
  list(session: string, query: { query?: string; limit?: number }): Promise<HistoryListing>;
  /** Throws `session.no_summary` (exit 4). */
  get(session: string, number: number): Promise<HistoryDetail>;
}
