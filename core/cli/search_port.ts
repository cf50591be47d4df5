/** What is looked for, and where. */
export interface SearchQuery {
  /** As the person wrote it: words, and phrases in double quotes. */
  text: string;
  /** Only sessions of this directory. */
  cwd?: string;
  /** Archived sessions as well. */
  archived: boolean;
  /** Inputs and results of tools as well. */
  tools: boolean;
  limit: number;
}

/** A message, a title or a tool call in which something was found. */
export interface SearchHit {
  session_id: string;
  title: string;
  cwd: string;
  archived: boolean;
  /** Number of the message (of the answer that called the tool); 0 for the title. */
  number: number;
  role: "title" | "user" | "assistant" | "tool";
  /** Milliseconds since 1970. */
  ts: number;
  /** One line around the first hit. */
  snippet: string;
  /** Where in the snippet the hits are, in UTF-16 units. */
  marks: { from: number; to: number }[];
}

export interface SearchResult {
  /** Best first. */
  hits: SearchHit[];
  /** Sessions with news that could not be looked at, since a process has them open. */
  open: string[];
}

/** Searching all saved sessions. `warn` is told which cannot be read. */
export interface SearchPort {
  /** Throws `cli.usage` (exit 2) when there is nothing to look for, `search.index` when the index cannot be kept. */
  search(query: SearchQuery, warn: (text: string) => void): Promise<SearchResult>;
}
