import type { ToolOutcome } from "../../../plugin_api/mod.ts";
import type { AgentWorktree } from "../../../session/mod.ts";
import type { JsonObject, RunResult } from "../../../types/mod.ts";

/** How one run of a sub-agent ended. */
export interface AgentReport {
  agent_id: string;
  agent_type: string;
  description: string;
  result: RunResult;
  /** What is left of its worktree. */
  worktree?: AgentWorktree;
  /** What it had done, where it has no answer. */
  done: string;
}

/** The result of the call that asked for it. */
export function agentOutcome(report: AgentReport): ToolOutcome {
  return {
    content: reportText(report),
    is_error: report.result.status !== "success",
    data: reportData(report),
  };
}

/** What the parent reads. A failure says what happened and how far it came. */
export function reportText(
  { agent_id, agent_type, description, result, worktree, done }: AgentReport,
): string {
  const kept = worktree === undefined
    ? []
    : [`Its worktree is kept: ${worktree.path} (branch ${worktree.branch}).`];
  if (result.status === "success") {
    const answer = result.answer.trim() === "" ? "(It gave no answer.)" : result.answer;
    return [answer, [`[agent_id: ${agent_id}]`, ...kept].join(" ")].join("\n\n");
  }
  const how = result.status === "interrupted" ? "was interrupted" : `failed (${result.status})`;
  const why = result.error === undefined ? "" : `: ${result.error.message} [${result.error.code}]`;
  return [
    `Sub-agent ${agent_type} "${description}" ${how}${why}`,
    `Done so far. ${done}`,
    ...kept,
    `It can be continued with its context: Agent with resume "${agent_id}".`,
  ].join("\n");
}

export function reportData({ agent_id, agent_type, result, worktree }: AgentReport): JsonObject {
  const { status, error, usage, cost_usd, turns, duration_ms } = result;
  return {
    agent_id,
    agent_type,
    status,
    ...(error === undefined ? {} : { error: { ...error } }),
    turns,
    usage: { ...usage },
    cost_usd,
    duration_ms,
    ...(worktree === undefined ? {} : { worktree: { ...worktree } }),
  };
}
