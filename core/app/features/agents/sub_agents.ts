import type { RunStatus } from "../../../types/mod.ts";

/** What a sub-agent is asked to do. Everything optional narrows or names; nothing widens. */
export interface SubAgentRequest {
  /** The name of an agent type, built in or from a file. */
  type: string;
  /** Three to five words for people. */
  description: string;
  prompt: string;
  /** In place of the type's, or of the session's, model. */
  model?: string;
  effort?: string;
  /** Names of tools as rules write them; only these of what the type may use. */
  allowed_tools?: string[];
}

export interface SubAgentResult {
  status: RunStatus;
  /** Empty when there is none. */
  answer: string;
  agent_id: string;
  error?: { code: string; message: string };
}

/** One agent type, as lists show it. */
export interface AgentTypeInfo {
  name: string;
  description: string;
  source: "builtin" | "user" | "project" | "pack";
  file?: string;
}

/** Something wrong with a file of agents: it alone is not used. */
export interface AgentFileProblem {
  file: string;
  line?: number;
  message: string;
}

/** Sub-agents of a session, for features that delegate. */
export interface SubAgents {
  /** Runs one to its end, as part of the run that goes on. Never throws for its failure; throws `agent.no_run` between runs. */
  run(request: SubAgentRequest, signal: AbortSignal): Promise<SubAgentResult>;
  /** The types there are and what is wrong with files of agents. */
  types(): Promise<{ types: AgentTypeInfo[]; problems: AgentFileProblem[] }>;
}
