/** What checking one session found. */
export interface VerifiedSession {
  session_id: string;
  ok: boolean;
  events: number;
  /** One line for each thing that is wrong. */
  problems: string[];
  /** Set when another process has it open: it was not checked. */
  open?: true;
}

/** What a repair did. */
export interface RepairedSession {
  session_id: string;
  /** False when there was nothing to repair. */
  repaired: boolean;
  /** What was wrong, one line each. */
  problems: string[];
  events: number;
  /** Events that were saved. */
  saved: number;
  lost: string[];
  /** Damage that cost nothing, one line each. */
  notes: string[];
  /** The folder with the damaged files as they were; null when only what is derived was made anew. */
  backup: string | null;
}

/** Checking and repairing saved sessions. */
export interface RepairPort {
  /**
   * Checks the named session, or each one. Throws `journal.busy` (exit 5) for a named session that another process has
   * open, and what finding it throws.
   */
  verify(id: string | undefined): AsyncIterable<VerifiedSession>;
  /** Throws `journal.busy` (exit 5), and `journal.corrupt` when nothing can be saved. */
  repair(id: string): Promise<RepairedSession>;
}
