/** One agent type as it stands in its place. */
export interface ListedAgentType {
  name: string;
  description: string;
  source: "project" | "user" | "pack" | "builtin";
  /** Null for a built-in one. */
  file: string | null;
  /** Names of tools; null: all of the session. */
  tools: string[] | null;
  disallowed_tools: string[];
  /** Null: the session's. */
  model: string | null;
  max_turns: number | null;
  permission_mode: string | null;
  background: boolean;
  isolation: "worktree" | null;
}

/** The agent types of a session that would start here, and the worktrees that sub-agents have left. */
export interface AgentListing {
  agents: ListedAgentType[];
  worktrees: { path: string; branch: string }[];
  /** What is wrong with files, one line each with file and line. */
  problems: string[];
}

/** What `--prune` did: worktrees in which nothing is lost are removed, the others stay. */
export interface PrunedWorktrees {
  removed: { path: string; branch: string }[];
  kept: { path: string; branch: string }[];
}

/** Sub-agents, for people. */
export interface AgentsPort {
  list(options: { cwd?: string }): Promise<AgentListing>;
  /** Never touches a worktree with changes or commits of its own. */
  prune(options: { cwd?: string }): Promise<PrunedWorktrees>;
}
