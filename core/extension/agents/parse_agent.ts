import type { Json, PermissionMode } from "../../types/mod.ts";
import { parsePermissionMode } from "../../types/mod.ts";
import { FrontMatterError, readFrontMatter } from "../front_matter.ts";
import type { FrontMatter } from "../front_matter.ts";
import type { AgentDefinition, AgentProblem, AgentSource } from "./agent_definition.ts";

const NAME = /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,63}$/u;
const MOST_DESCRIPTION = 2_000;
const MOST_TURNS = 10_000;

/** Words of other agents for models of one provider: what the session asks is asked here too. */
const SAME_MODEL: ReadonlySet<string> = new Set(["inherit", "sonnet", "opus", "haiku"]);

/** Efforts by the words that agent files use for them. */
const EFFORTS: Readonly<Record<string, NonNullable<AgentDefinition["effort"]>>> = {
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "max",
};

/**
 * Reads a file of an agent type: front matter with `name`, `description`, `tools`, `disallowedTools`, `model`, `maxTurns`,
 * `permissionMode`, `skills`, `background`, `effort`, `isolation`, `color`, in any spelling of the keys; the text behind it is
 * its instructions. Other keys change nothing. Never throws: what is wrong is told with its line.
 */
export async function parseAgent(
  text: string,
  file: string,
  source: AgentSource,
): Promise<{ definition: AgentDefinition } | { problem: AgentProblem }> {
  try {
    return { definition: definitionOf(await readFrontMatter(text, file), file, source) };
  } catch (error) {
    if (!(error instanceof FrontMatterError)) throw error;
    return { problem: { file, line: error.line, message: error.reason } };
  }
}

function definitionOf(matter: FrontMatter, file: string, source: AgentSource): AgentDefinition {
  const { fields, lines, body, body_line } = matter;
  const wrong = (key: string, reason: string): FrontMatterError =>
    new FrontMatterError(file, lines[key] ?? 1, reason);
  const given = (key: string): Json | undefined => fields[key] ?? undefined;
  const text = (key: string): string | undefined => {
    const value = given(key);
    if (value === undefined) return undefined;
    if (typeof value !== "string" || value.trim() === "") throw wrong(key, `${key} must be a text`);
    return value.trim();
  };
  const words = (key: string): string[] | undefined => {
    const value = given(key);
    if (value === undefined) return undefined;
    const list = typeof value === "string" ? value.split(/[\s,]+/) : value;
    if (!Array.isArray(list) || !list.every((one) => typeof one === "string")) {
      throw wrong(key, `${key} must be a list of names`);
    }
    return list.map((one) => (one as string).trim()).filter((one) => one !== "");
  };
  const name = text("name");
  if (name === undefined) throw wrong("name", "it has no name");
  if (!NAME.test(name)) {
    throw wrong(
      "name",
      "the name may hold letters, digits, - and _, at most 64, and begins with one of the first two",
    );
  }
  const description = text("description");
  if (description === undefined) {
    throw wrong("description", "it has no description: the model chooses by it");
  }
  if (description.length > MOST_DESCRIPTION) {
    throw wrong("description", `the description is longer than ${MOST_DESCRIPTION} characters`);
  }
  const prompt = body.trim();
  if (prompt === "") {
    throw new FrontMatterError(file, body_line, "it has no instructions behind its front matter");
  }
  const tools = words("tools");
  const ruled = tools?.find((tool) => tool.includes("("));
  if (ruled !== undefined) {
    throw wrong("tools", `${ruled}: tools takes names; what a tool may do is said by permission rules`);
  }
  const model = text("model");
  const max_turns = given("max_turns");
  if (max_turns !== undefined && !(Number.isInteger(max_turns) && within(max_turns))) {
    throw wrong("max_turns", `maxTurns must be a whole number from 1 to ${MOST_TURNS}`);
  }
  const mode = text("permission_mode");
  const permission_mode: PermissionMode | undefined = mode === undefined
    ? undefined
    : parsePermissionMode(mode);
  if (mode !== undefined && permission_mode === undefined) {
    throw wrong("permission_mode", `there is no permission mode "${mode}"`);
  }
  const background = given("background") ?? false;
  if (typeof background !== "boolean") throw wrong("background", "background must be true or false");
  const effort_word = text("effort");
  const effort = effort_word === undefined || !Object.hasOwn(EFFORTS, effort_word)
    ? undefined
    : EFFORTS[effort_word];
  if (effort_word !== undefined && effort === undefined) {
    throw wrong("effort", `effort must be one of ${Object.keys(EFFORTS).join(", ")}`);
  }
  const isolation = text("isolation");
  if (isolation !== undefined && isolation !== "worktree") {
    throw wrong("isolation", 'isolation may be "worktree" alone');
  }
  const color = text("color");
  return {
    name,
    description,
    source,
    file,
    prompt,
    ...(tools === undefined || tools.includes("*") ? {} : { tools }),
    disallowed_tools: words("disallowed_tools") ?? [],
    read_only: false,
    ...(model === undefined || SAME_MODEL.has(model) ? {} : { model }),
    ...(max_turns === undefined ? {} : { max_turns: max_turns as number }),
    ...(permission_mode === undefined ? {} : { permission_mode }),
    skills: words("skills") ?? [],
    background,
    ...(effort === undefined ? {} : { effort }),
    ...(isolation === undefined ? {} : { isolation }),
    ...(color === undefined ? {} : { color }),
  };
}

function within(value: Json): boolean {
  return typeof value === "number" && value >= 1 && value <= MOST_TURNS;
}
