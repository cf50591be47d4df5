import { join } from "node:path";
import { errorMessage } from "../../base/mod.ts";
import { isInside } from "../../files/mod.ts";
import type { AgentDefinition, AgentProblem, AgentSource } from "./agent_definition.ts";
import { parseAgent } from "./parse_agent.ts";

/** A folder with files of agent types. */
export interface AgentPlace {
  source: AgentSource;
  /** Absolute. */
  directory: string;
  /** A link may lead no further than this folder; absent: anywhere. */
  within?: string;
}

export interface FoundAgents {
  /** Names are compared without regard to case; the first place that has one wins. */
  agents: AgentDefinition[];
  problems: AgentProblem[];
}

const MOST_FILES = 200;
const MOST_BYTES = 262_144;

/** The agent types of some places, in their order, files by name; each broken file is told and left out alone. */
export async function findAgents(places: readonly AgentPlace[]): Promise<FoundAgents> {
  const found: FoundAgents = { agents: [], problems: [] };
  const names = new Map<string, string>();
  for (const place of places) {
    const here = new Map<string, string>();
    for (const file of await filesOf(place, found.problems)) {
      const read = await readAgent(place, file);
      if ("problem" in read) {
        found.problems.push(read.problem);
        continue;
      }
      const key = read.definition.name.toLowerCase();
      const twin = here.get(key);
      if (twin !== undefined) {
        const message = `the name "${read.definition.name}" is that of ${twin}, which is used`;
        found.problems.push({ file, message });
        continue;
      }
      here.set(key, file);
      if (names.has(key)) continue; // an earlier place has its own
      names.set(key, file);
      found.agents.push(read.definition);
    }
  }
  return found;
}

async function filesOf({ directory }: AgentPlace, problems: AgentProblem[]): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name, isDirectory } of Deno.readDir(directory)) {
      if (!isDirectory && name.endsWith(".md") && !name.startsWith(".")) names.push(name);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory)) {
      problems.push({ file: directory, message: `cannot be listed: ${errorMessage(error)}` });
    }
    return [];
  }
  names.sort();
  if (names.length > MOST_FILES) {
    const message = `holds ${names.length} files; the first ${MOST_FILES} by name are read`;
    problems.push({ file: directory, message });
  }
  return names.slice(0, MOST_FILES).map((name) => join(directory, name));
}

async function readAgent(
  { source, within }: AgentPlace,
  file: string,
): Promise<{ definition: AgentDefinition } | { problem: AgentProblem }> {
  try {
    const real = await Deno.realPath(file);
    // what a repository links to elsewhere is not the repository's to hand out
    if (within !== undefined && !isInside(await Deno.realPath(within), real)) {
      return { problem: { file, message: `a link leads out of ${within}: it is not used` } };
    }
    const { isFile, size } = await Deno.stat(real);
    if (!isFile) return { problem: { file, message: "it is no plain file" } };
    if (size > MOST_BYTES) return { problem: { file, message: `it is larger than ${MOST_BYTES} bytes` } };
    return await parseAgent(await Deno.readTextFile(real), file, source);
  } catch (error) {
    return { problem: { file, message: `cannot be read: ${errorMessage(error)}` } };
  }
}
