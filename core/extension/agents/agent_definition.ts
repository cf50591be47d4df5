import type { PermissionMode } from "../../types/mod.ts";

/** Where an agent type comes from; the first place that has a name wins, in this order. */
export type AgentSource = "project" | "user" | "pack" | "builtin";

/** What a kind of sub-agent is, built in or written as a file. It narrows what its parent has and never widens it. */
export interface AgentDefinition {
  name: string;
  /** For the model that chooses: what it is for. */
  description: string;
  source: AgentSource;
  /** Absolute; absent for a built-in one. */
  file?: string;
  /** Its instructions. */
  prompt: string;
  /** Names of tools; absent: all that its parent has. */
  tools?: readonly string[];
  disallowed_tools: readonly string[];
  /** Tools that change nothing alone. */
  read_only: boolean;
  /** Absent: the parent's. */
  model?: string;
  /** Model turns of one run. */
  max_turns?: number;
  /** A stricter mode than the parent's; a looser one has no effect. */
  permission_mode?: PermissionMode;
  /** Skills whose texts it begins with. */
  skills: readonly string[];
  background: boolean;
  effort?: "low" | "medium" | "high" | "max";
  isolation?: "worktree";
  color?: string;
}

/** Something wrong with a file of an agent type, which alone is not used. */
export interface AgentProblem {
  file: string;
  line?: number;
  message: string;
}
