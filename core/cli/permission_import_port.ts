import type { PermissionMode } from "../types/mod.ts";

/** Whose rule file it is. */
export const RULE_DIALECTS = ["claude", "opencode", "codex"] as const;
export type RuleDialect = (typeof RULE_DIALECTS)[number];

/** A rule of ours and the list it belongs to. */
export interface ListRule {
  list: "allow" | "ask" | "deny";
  rule: string;
}

/**
 * What became of something in another agent's file: it means the same here; the mode does it without a rule; it is
 * stricter or looser here; it is not taken; it is a key that nobody here knows.
 */
export type ImportOutcome = "same" | "mode" | "stricter" | "looser" | "not taken" | "unknown";

/** One entry of another agent's file and what it becomes. */
export interface ImportEntry {
  /** As it is written there, with the key it stands under. */
  source: string;
  /** Line in the file, from 1. */
  line?: number;
  outcome: ImportOutcome;
  rules: ListRule[];
  /** Folders that would count as workspace. */
  directories?: string[];
  /** The mode that comes nearest. */
  mode?: PermissionMode;
  /** Mode yolo is taken away. */
  no_yolo?: true;
  /** What changes meaning, or why it is not taken. */
  note?: string;
}

/** One file that was read. */
export interface ImportedRuleFile {
  file: string;
  dialect: RuleDialect;
  /** Whether its rules hold for everything the user does or for one project, and our file that would hold them. */
  scope: "user" | "project";
  target: string;
  entries: ImportEntry[];
}

/** A rule, a folder or a mode as it goes into our file. */
export interface ImportChange {
  target: string;
  key: "allow" | "ask" | "deny" | "additionalDirectories" | "defaultMode" | "disableBypassPermissionsMode";
  value: string;
  /** It stands there already. */
  known: boolean;
}

/** What reading the files of another agent gave. */
export interface PermissionImport {
  files: ImportedRuleFile[];
  /** What `--write` adds, in the order deny, ask, allow, folders, mode. */
  changes: ImportChange[];
  /** Files that cannot be read, one line each with the place; nothing is written where there is one. */
  problems: string[];
  written: boolean;
}

/** How rule files are read. */
export interface ImportOptions {
  /** Whose they are; told by their names when absent. */
  from: RuleDialect | undefined;
  /** A project's rules go into the user's settings too, and so hold in every project. */
  user: boolean;
}

/** Taking over the permission rules of other agents. */
export interface PermissionImportPort {
  /**
   * Reads a file or the rule files of a folder and says what they become. Throws `permission.import_missing` (exit 4)
   * where there is none.
   */
  read(path: string, options: ImportOptions): Promise<PermissionImport>;
  /**
   * Adds the changes to our files and marks them as written; comments and everything else stay. Throws
   * `permission.import` where a file could not be read.
   */
  write(found: PermissionImport): Promise<void>;
}
