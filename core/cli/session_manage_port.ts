/** A session that was, or would be, deleted. */
export interface DeletedSession {
  session_id: string;
  title: string;
  pinned: boolean;
}

/** Changing saved sessions. Each throws `journal.busy` (exit 5) while another process owns the session. */
export interface SessionManagePort {
  rename(id: string, title: string): Promise<{ session_id: string; title: string }>;
  pin(id: string, pinned: boolean): Promise<{ session_id: string }>;
  /** Moves it out of the lists, or back (`archived` false). */
  archive(id: string, archived: boolean): Promise<{ session_id: string; changed: boolean }>;
  /** What `remove` with the same arguments would delete, after the same checks. */
  planRemove(ids: readonly string[], force: boolean): Promise<DeletedSession[]>;
  /** Deletes sessions with everything that belongs to them alone; all are checked before the first goes. */
  remove(ids: readonly string[], force: boolean, warn: (text: string) => void): Promise<DeletedSession[]>;
  /** From now on it works in another directory. */
  move(id: string, directory: string): Promise<{ session_id: string; cwd: string }>;
  /** Forgets messages with what was made from them, for good; gives the numbers of the events that lost their payload. */
  redact(
    id: string,
    messages: readonly number[],
    reason: string,
  ): Promise<{ session_id: string; redacted: number[] }>;
  fork(
    id: string,
    options: { at?: number; title?: string },
  ): Promise<
    { session_id: string; parent_id: string; parent_seq: number; messages: number; skipped: string[] }
  >;
}
