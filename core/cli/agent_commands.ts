import type { Command } from "commander";
import type { AgentListing, ListedAgentType, PrunedWorktrees } from "./agent_port.ts";
import type { CliDeps } from "./cli_deps.ts";
import { visibleControls } from "./visible_controls.ts";

const FORMAT = `
An agent type is a Markdown file in the project's .Lumina/agents/ or .claude/agents/, or in config/agents/ of Lumina's own
folder; the first of a name is used. It begins with its fields and goes on with its instructions:
  ---
  name: reviewer
  description: what it is for: the model chooses by it
  tools: Read, Grep, Glob
  ---
and may have: disallowedTools, model, maxTurns, permissionMode, background, effort, isolation: worktree, color. It narrows what
the session may do and never widens it.`;

/** `lumina agents …`: kinds of sub-agents and what they have left. */
export function addAgentCommands(program: Command, { app, io }: CliDeps): void {
  const agents = program.command("agents").description("look at kinds of sub-agents and what they have left")
    .addHelpText("after", FORMAT);
  const place = (options: { cwd?: string }): { cwd?: string } => {
    const { cwd = (program.opts() as { cwd?: string }).cwd } = options;
    return cwd === undefined ? {} : { cwd };
  };
  agents.command("list").description(
    "every agent type of a session that would start here, worktrees that are left, and what is wrong with files",
  )
    .option("--cwd <dir>", "the project; default is the current directory")
    .option("--json", "as JSON")
    .action(async (options: { cwd?: string; json?: true }) => {
      const listing = await app.agents.list(place(options));
      await io.out(options.json ? `${JSON.stringify(listing)}\n` : listingText(listing));
    });
  agents.command("worktrees").description("the worktrees that sub-agents have left")
    .option("--prune", "remove those in which nothing would be lost: no change and no commit of their own")
    .option("--cwd <dir>", "the project; default is the current directory")
    .option("--json", "as JSON")
    .action(async (options: { cwd?: string; json?: true; prune?: true }) => {
      const pruned = options.prune
        ? await app.agents.prune(place(options))
        : { removed: [], kept: (await app.agents.list(place(options))).worktrees };
      await io.out(options.json ? `${JSON.stringify(pruned)}\n` : worktreesText(pruned));
    });
}

function listingText({ agents, worktrees, problems }: AgentListing): string {
  const lines = [
    ...agents.flatMap(agentLines),
    ...worktrees.map(({ path, branch }) => `worktree: ${path} (branch ${branch})`),
    ...problems.map((problem) => `problem: ${problem}`),
  ];
  return `${lines.map(visibleControls).join("\n")}\n`;
}

function agentLines(agent: ListedAgentType): string[] {
  const facts = [
    agent.file ?? agent.source,
    ...(agent.tools === null ? [] : [`tools ${agent.tools.join(", ")}`]),
    ...(agent.disallowed_tools.length === 0 ? [] : [`without ${agent.disallowed_tools.join(", ")}`]),
    ...(agent.model === null ? [] : [`model ${agent.model}`]),
    ...(agent.max_turns === null ? [] : [`at most ${agent.max_turns} turns`]),
    ...(agent.permission_mode === null ? [] : [`mode ${agent.permission_mode} at most`]),
    ...(agent.background ? ["in the background"] : []),
    ...(agent.isolation === null ? [] : ["in a worktree of its own"]),
  ];
  return [`${agent.name}: ${agent.description.replace(/\s+/g, " ")}`, `  ${facts.join("; ")}`];
}

function worktreesText({ removed, kept }: PrunedWorktrees): string {
  const lines = [
    ...removed.map(({ path, branch }) => `removed: ${path} (branch ${branch})`),
    ...kept.map(({ path, branch }) => `${path} (branch ${branch})`),
  ];
  if (lines.length === 0) lines.push("No worktrees of sub-agents are left");
  return `${lines.map(visibleControls).join("\n")}\n`;
}
