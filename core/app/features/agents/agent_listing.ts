import { join } from "node:path";
import type { AgentRecord } from "../../../session/mod.ts";
import type { FeatureScope } from "../session_feature.ts";
import { PROJECT_AGENTS } from "./agent_types.ts";

/** Characters of one description that the model is told. */
const SHOWN = 240;

/**
 * The agent types that files bring, for the model; the built-in ones stand in the tool's description. Empty where there is
 * none: then nothing but the known folders was looked for.
 */
export async function agentListing({ parts }: FeatureScope): Promise<string> {
  const { app_root, files, flags, located } = parts;
  const project = flags.bare ? [] : PROJECT_AGENTS.map((folder) => join(located.project.root, folder));
  if (![...project, join(app_root.configDir, "agents")].some(isThere)) return "";
  const { agentTypes } = await import("./agent_types.ts");
  const { types } = await agentTypes({
    files,
    app_root,
    ...(flags.bare ? {} : { project_root: located.project.root }),
  });
  const own = types.filter(({ source }) => source !== "builtin");
  if (own.length === 0) return "";
  const lines = own.map(({ name, description }) => {
    const text = description.replaceAll(/\s+/g, " ");
    return `- ${name}: ${text.length <= SHOWN ? text : `${text.slice(0, SHOWN - 1)}…`}`;
  });
  return `<agent_types>\nFurther types of the Agent tool:\n${lines.join("\n")}\n</agent_types>`;
}

/** What became of sub-agents that a process which died left working. */
export function interruptedText(agents: readonly AgentRecord[]): string {
  const lines = agents.map(({ agent_id, agent_type, description, worktree, untold }) =>
    [
      `- ${agent_id} (${agent_type}) "${description}": ${untold ?? ""}`,
      ...(worktree === undefined
        ? []
        : [`  Its worktree is kept: ${worktree.path} (branch ${worktree.branch}).`]),
    ].join("\n")
  );
  return `<interrupted_agents>\nThe process ended while these sub-agents worked; none of them works any more. ` +
    `Each can be continued with its context: Agent with resume.\n${lines.join("\n")}\n</interrupted_agents>`;
}

function isThere(folder: string): boolean {
  try {
    return Deno.statSync(folder).isDirectory;
  } catch {
    return false; // not there, or not to be looked at: there is nothing to list
  }
}
