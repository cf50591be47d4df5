export type RewindScope = "files" | "conversation" | "both";

export interface RewindRequest {
  /** A session's id, or the beginning of it. */
  id: string;
  /** The number of a message, or what the last rewind of files did. */
  to: number | "undo";
  scope: RewindScope;
  /** Only says what would be done. */
  dry_run: boolean;
}

/** One path that a rewind changes. */
export interface RewindPath {
  /** Relative to the workspace. */
  path: string;
  action: "create" | "write" | "delete" | "mode";
  /** Changed by something other than the agent, since it was last seen or between two runs. */
  conflict: boolean;
}

export interface RewindReport {
  session_id: string;
  workspace: string;
  to: number;
  scope: RewindScope;
  /** `plan`: nothing was done yet. `failed`: some paths could not be changed, and the conversation is as it was. */
  outcome: "plan" | "done" | "cancelled" | "failed";
  /** Messages that leave the conversation. */
  messages: number;
  /** Number of the last of them; 0 without any. A fork there begins with the conversation as it was. */
  last_message: number;
  changes: RewindPath[];
  /** Of the changes: kept as they are now. */
  kept: string[];
  /** What should have gone and stays: it is not captured, or holds what is not. */
  left: string[];
  failed: { path: string; message: string }[];
  /** Paths that were not captured, at most 100. */
  skipped: string[];
}

/** `overwrite` makes all changes, `keep` leaves out those in conflict. */
export type RewindDecision = "overwrite" | "keep" | "cancel";

export interface RewindPort {
  /**
   * Takes a session back to a message. `decide` is asked before anything is changed, and again when files have changed
   * meanwhile; a dry run does not ask. Throws for what cannot be done at all.
   */
  rewind(
    request: RewindRequest,
    decide: (plan: RewindReport) => Promise<RewindDecision>,
  ): Promise<RewindReport>;
}
