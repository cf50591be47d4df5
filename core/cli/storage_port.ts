/** How much of something is kept. */
export interface StorageAmount {
  count: number;
  bytes: number;
}

/** The rules of the settings `retention_…`; 0 is no limit. */
export interface RetentionRules {
  retention_days: number;
  retention_max_sessions: number;
  retention_max_bytes: number;
  retention_archive: boolean;
}

/** One thing that a cleanup does, or would do. */
export interface CleanupAction {
  type: "session" | "orphan" | "tool-results" | "rewind";
  /** Empty for what belongs to no single session. */
  session_id: string;
  path: string;
  reason: string;
  bytes: number;
  would_delete: boolean;
  would_archive: boolean;
  deleted: boolean;
  archived: boolean;
  /** Why it could not be done; empty otherwise. */
  error: string;
}

export interface CleanupReport {
  /** False for a look ahead, which changes nothing. */
  enforced: boolean;
  rules: RetentionRules;
  actions: CleanupAction[];
  /** What a rule would take and is kept all the same. */
  skipped: { session_id: string; reason: string }[];
}

export interface StorageStatus {
  root: string;
  sessions: StorageAmount;
  archives: StorageAmount;
  /** Spilled tool output, by session. */
  tool_results: StorageAmount;
  /** What repairs and new schemas have kept of sessions. */
  backups: StorageAmount;
  /** Snapshots of workspaces, for rewinding; counted in projects. */
  rewind: StorageAmount;
  /** May be deleted at any time; counted in files. */
  caches: StorageAmount;
  projects: {
    project_id: string;
    cwd: string;
    sessions: StorageAmount;
    archives: StorageAmount;
    tool_results: StorageAmount;
    rewind: StorageAmount;
  }[];
  /** What `cleanup` would do now. */
  retention: CleanupReport;
}

/** What saved sessions take, and cleaning up. */
export interface StoragePort {
  status(warn: (text: string) => void): Promise<StorageStatus>;
  cleanup(enforce: boolean, warn: (text: string) => void): Promise<CleanupReport>;
}
