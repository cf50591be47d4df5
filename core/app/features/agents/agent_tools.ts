import type { ToolRun } from "../../../agent/mod.ts";
import { LuminaError } from "../../../base/mod.ts";
import type { ToolOutcome } from "../../../plugin_api/mod.ts";
import type { JsonObject } from "../../../types/mod.ts";
import type { AgentManager } from "./agent_manager.ts";
import { agentOutcome } from "./agent_report.ts";

/** How long AgentOutput waits when it is told to and not how long, seconds. */
const WAIT_SECONDS = 600;

/** Carries out one of the tools of sub-agents. What cannot begin is an error result. */
export async function callAgentTool(
  name: "Agent" | "AgentOutput" | "AgentStop",
  manager: AgentManager,
  input: JsonObject,
  run: ToolRun,
): Promise<ToolOutcome> {
  try {
    if (name === "Agent") return await startAgent(manager, input, run);
    const agent_id = text(input["agent_id"]);
    if (name === "AgentStop") return await stopAgent(manager, agent_id ?? "");
    return agent_id === undefined ? listAgents(manager) : await readAgent(manager, agent_id, input, run);
  } catch (error) {
    if (!(error instanceof LuminaError)) throw error;
    return {
      content: error.message,
      is_error: true,
      data: { error: { code: error.code, message: error.message } },
    };
  }
}

async function startAgent(manager: AgentManager, input: JsonObject, run: ToolRun): Promise<ToolOutcome> {
  const type = text(input["subagent_type"]);
  const model = text(input["model"]);
  const resume = text(input["resume"]);
  const background = input["run_in_background"];
  const { name, background: beside, done } = await manager.start({
    ...(type === undefined ? {} : { type }),
    description: String(input["description"]),
    prompt: String(input["prompt"]),
    ...(model === undefined ? {} : { model }),
    ...(resume === undefined ? {} : { resume }),
    ...(typeof background === "boolean" ? { background } : {}),
    ...(input["isolation"] === "worktree" ? { isolation: "worktree" as const } : {}),
    call_id: run.call_id,
    progress: run.progress,
  }, run.signal);
  if (!beside) return agentOutcome(await done);
  const content =
    `Sub-agent ${name.agent_id} (${name.agent_type}) works in the background. You are told when it ends; ` +
    "AgentOutput reads it, AgentStop ends it.";
  return { content, data: { agent_id: name.agent_id, agent_type: name.agent_type, status: "running" } };
}

async function readAgent(
  manager: AgentManager,
  agent_id: string,
  input: JsonObject,
  run: ToolRun,
): Promise<ToolOutcome> {
  const seconds = typeof input["timeout"] === "number" ? input["timeout"] : WAIT_SECONDS;
  const wait = input["wait"] === true
    ? AbortSignal.any([run.signal, AbortSignal.timeout(Math.round(seconds * 1000))])
    : undefined;
  const report = await manager.report(agent_id, wait);
  if (report === "working") {
    return { content: `Sub-agent ${agent_id} still works.`, data: { agent_id, status: "running" } };
  }
  if (report !== undefined) return agentOutcome(report);
  const record = manager.records().find((one) => one.agent_id === agent_id);
  if (record === undefined) throw unknown(manager, agent_id);
  return {
    content: `Sub-agent ${agent_id} has ended (${record.status}) before this session was opened: ` +
      `continue it with Agent and resume "${agent_id}".`,
    data: { agent_id, status: record.status },
  };
}

async function stopAgent(manager: AgentManager, agent_id: string): Promise<ToolOutcome> {
  const report = await manager.stop(agent_id);
  if (report === undefined) {
    if (manager.records().every((one) => one.agent_id !== agent_id)) throw unknown(manager, agent_id);
    return { content: `Sub-agent ${agent_id} does not work any more.` };
  }
  const { is_error: _ended, ...outcome } = agentOutcome(report);
  return outcome;
}

function listAgents(manager: AgentManager): ToolOutcome {
  const lines = manager.records().map(({ agent_id, agent_type, description, status, worktree }) =>
    `${agent_id}  ${status}  ${agent_type}: ${description}${
      worktree === undefined ? "" : ` (branch ${worktree.branch})`
    }`
  );
  return { content: lines.length === 0 ? "No sub-agent was started." : lines.join("\n") };
}

function unknown(manager: AgentManager, agent_id: string): LuminaError {
  const ids = manager.records().map((one) => one.agent_id);
  const known = ids.length === 0 ? "none was started" : `there are ${ids.join(", ")}`;
  return new LuminaError("agent.unknown", `There is no sub-agent ${agent_id}: ${known}`);
}

function text(value: JsonObject[string] | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
