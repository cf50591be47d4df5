/** A saved session as lists show it. Times are milliseconds since 1970. */
export interface SessionRow {
  session_id: string;
  title: string;
  project_id: string;
  cwd: string;
  model: string;
  created_ts: number;
  updated_ts: number;
  runs: number;
  turns: number;
  messages: number;
  tokens: number;
  /** Null when a model without a known price was used. */
  cost_usd: number | null;
  /** How the last run ended, `running`, or empty before the first one. */
  status: string;
  pinned: boolean;
  /** The session it was forked from, and that one's last event that it shares. */
  forked_from: { session_id: string; seq: number } | null;
  archived: boolean;
  /** Another process owns it now. */
  open: boolean;
}

export interface SessionQuery {
  /** The project's directory, relative to the current one; ignored with `all`. */
  cwd?: string;
  /** The sessions of every project. */
  all: boolean;
  /** The archived ones instead of the active ones. */
  archived: boolean;
  /** At most this many. */
  limit?: number;
}

/** A session among its forks. */
export interface SessionBranch {
  session_id: string;
  title: string;
  cwd: string;
  updated_ts: number;
  archived: boolean;
  /** False when only its forks tell of it. */
  exists: boolean;
  /** The parent's last event that it shares; null at a root. */
  forked_at: number | null;
  forks: SessionBranch[];
}

/** Looking through the saved sessions. */
export interface SessionListPort {
  /** Pinned ones first, then the newest; `more` is how many the limit left out. What cannot be read is warned of. */
  list(query: SessionQuery, warn: (text: string) => void): Promise<{ rows: SessionRow[]; more: number }>;
  /** The forks of a project (of all projects with `all`), or the tree that a session belongs to. */
  tree(
    query: { session?: string; cwd?: string; all: boolean },
    warn: (text: string) => void,
  ): Promise<SessionBranch[]>;
}
