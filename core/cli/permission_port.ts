import type { Behavior, PermissionMode, Verdict } from "../types/mod.ts";

/** The part of a run's flags that rules depend on. */
export interface RulesQuery {
  cwd?: string;
  settings_file?: string;
  permission_mode?: PermissionMode;
  allowed_tools: string[];
  disallowed_tools: string[];
  add_dirs: string[];
}

/** One rule as it stands in its place. */
export interface ListedRule {
  list: "allow" | "ask" | "deny";
  /** As it was written. */
  rule: string;
  /** Where it stands: managed, user, project, local, flag, session or repo. */
  scope: string;
  file?: string;
  /** Line in the file, from 1. */
  line?: number;
  /** What is wrong with it, and what it counts as; absent for a rule that holds as it is written. */
  problem?: string;
}

/** Every rule in force here and now. */
export interface PermissionListing {
  mode: PermissionMode;
  /** A flag, a variable or `file:line`; "default" where nothing says it. */
  mode_from: string;
  /** What takes mode `yolo` away; absent where it may be chosen. */
  yolo_disabled_by?: string;
  /** Only the rules of the managed file allow anything, by that file. */
  managed_rules_only: boolean;
  rules: ListedRule[];
  /** Folders that count as workspace; the workspace itself first. */
  directories: { path: string; from: string }[];
  /** What the operating system enforces around commands; as the settings have it. */
  sandbox: Record<string, unknown>;
  /** What was ignored or reads wrong, one line each. */
  problems: string[];
}

/** How a call would be judged here and now. */
export interface PermissionExplanation {
  tool: string;
  mode: PermissionMode;
  /** The tool is denied as a whole: the model does not see it. */
  hidden: boolean;
  verdict: Verdict;
  /** Where the deciding rule stands; absent when no rule decided. */
  rule?: ListedRule;
  /** What each mode would say. */
  modes: { mode: PermissionMode; behavior: Behavior; reason: string }[];
  problems: string[];
  /** The same for people, one line each. */
  lines: string[];
}

/** One decision about a call, as the journal has it. */
export interface LoggedDecision {
  seq: number;
  /** Milliseconds since 1970. */
  ts: number;
  call_id: string;
  tool: string;
  behavior: string;
  by: string;
  source: string;
  reason: string;
  rule?: string;
  /** The hook that decided. */
  hook?: string;
  mode?: string;
  /** How long an answer holds: once, session, project or user. */
  remember?: string;
  /** The rules and folders that were kept with the answer. */
  kept?: string[];
}

/** The permission rules, for people. */
export interface PermissionPort {
  list(query: RulesQuery): Promise<PermissionListing>;
  /** Says how a call such as `Bash(git status)` would be judged. */
  explain(call: string, query: RulesQuery): Promise<PermissionExplanation>;
  /** Who decided what in a session, and why; the newest session of the project without an id. */
  log(session: string | undefined, cwd: string | undefined): Promise<LoggedDecision[]>;
}
