import type { Budget } from "./budget.ts";
import type { SubAgents } from "./agents/sub_agents.ts";

/** What features of one session offer each other; each field is filled by its own feature, in any order. */
export interface SharedFeatures {
  /** Absent where the session may not delegate: in a locked run, and at the deepest level of sub-agents. */
  agents?: SubAgents;
  /** What all agents of the session may cost together. */
  budget?: Budget;
}
