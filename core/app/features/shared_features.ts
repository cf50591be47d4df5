import type { Budget } from "./session_budget.ts";
import type { SubAgents } from "./agents/sub_agents.ts";
import type { SessionTelemetry } from "./telemetry/session_telemetry.ts";
import type { LanguageServers } from "./diagnostics/language_servers.ts";

/** What features of one session offer each other; each field is filled by its own feature, in any order. */
export interface SharedFeatures {
  /** Absent where the session may not delegate: in a locked run, and at the deepest level of sub-agents. */
  agents?: SubAgents;
  /** What all agents of the session may cost together. */
  budget?: Budget;
  /** What is wrong in files; made by the first edit that asks for it. */
  language_servers?: LanguageServers;
  /** Where spans go; made by the first run that is told of. */
  telemetry?: SessionTelemetry;
}
