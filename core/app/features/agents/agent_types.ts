import { join } from "node:path";
import { findAgents } from "../../../extension/mod.ts";
import type { AgentDefinition, AgentPlace, AgentProblem } from "../../../extension/mod.ts";

/** Where agent types of a session come from. */
export interface AgentTypeParts {
  files: { root: URL };
  app_root: { configDir: string };
  /** The project's folder; absent where it brings nothing (`--bare`). */
  project_root?: string;
}

/** Folders of a project that may hold agent types, the first with a name first. */
export const PROJECT_AGENTS: readonly string[] = [".Lumina/agents", ".claude/agents"];

type BuiltIn = Pick<AgentDefinition, "name" | "description" | "read_only"> & { max_turns?: number };

const BUILT_IN: readonly BuiltIn[] = [
  {
    name: "general-purpose",
    description: "Works on a task of many steps with all tools: searches, changes, checks.",
    read_only: false,
  },
  {
    name: "explore",
    description: "Finds out how something in the project is or works; changes nothing.",
    read_only: true,
    max_turns: 30,
  },
  {
    name: "plan",
    description: "Works out how to carry something out, step by step; changes nothing.",
    read_only: true,
    max_turns: 40,
  },
];

/** The agent types there are now: those of the project, of the user, and the built-in ones that no file replaces. */
export async function agentTypes(
  { files, app_root, project_root }: AgentTypeParts,
): Promise<{ types: AgentDefinition[]; problems: AgentProblem[] }> {
  const project: AgentPlace[] = project_root === undefined ? [] : PROJECT_AGENTS.map((folder) => ({
    source: "project",
    directory: join(project_root, folder),
    within: project_root,
  }));
  const { agents, problems } = await findAgents([
    ...project,
    { source: "user", directory: join(app_root.configDir, "agents") },
  ]);
  const taken = new Set(agents.map(({ name }) => name.toLowerCase()));
  const built_in = BUILT_IN.filter(({ name }) => !taken.has(name)).map(async (
    one,
  ): Promise<AgentDefinition> => ({
    ...one,
    source: "builtin",
    prompt: await Deno.readTextFile(new URL(`resources/prompts/agent_${one.name}.md`, files.root)),
    disallowed_tools: [],
    ...(one.read_only ? { permission_mode: "plan" as const } : {}),
    skills: [],
    background: false,
  }));
  return { types: [...agents, ...await Promise.all(built_in)], problems };
}

/** The type of a name, in whatever case. */
export function typeNamed(types: readonly AgentDefinition[], name: string): AgentDefinition | undefined {
  return types.find((type) => type.name.toLowerCase() === name.toLowerCase());
}
