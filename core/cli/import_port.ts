/** One source file of an import. */
export interface ImportedFile {
  name: string;
  sha256: string;
  bytes: number;
  /** Whether something of it is in the journal now. */
  used: boolean;
  /** What is wrong with it, in one line; null when nothing is. */
  problem: string | null;
}

/** What an import did; `migration-v2.json` of the session. */
export interface ImportReport {
  version: 2;
  session_id: string;
  /** ISO 8601, UTC. */
  imported_at: string;
  files: ImportedFile[];
  /** Messages and summaries that the journal has now. */
  messages: number;
  summaries: number;
  /** What was left out or mended, one line each; the backup has it as it was. */
  skipped: string[];
}

/** Taking over the sessions of the old LuminaCode. */
export interface ImportPort {
  /**
   * Imports an old session directory, or an old session that is a flat file, from anywhere. The source is only read.
   * `already` is true when the very same files were imported before: then nothing changes.
   */
  importSession(
    path: string,
    options: { cwd?: string },
  ): Promise<{ session_id: string; directory: string; already: boolean; report: ImportReport }>;
}
