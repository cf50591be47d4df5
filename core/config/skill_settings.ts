import * as z from "zod";
import { key } from "./setting_definition.ts";
import { names, text, wholeFrom } from "./setting_schemas.ts";

export const SKILL_SETTINGS = {
  skills_enabled: key({
    schema: () => z.boolean(),
    default: true,
    kind: "boolean",
    must: "true or false",
    description: "Use skills. Without them none is listed, looked for or can be called.",
    project: "replace",
  }),
  skills_dir: key({
    schema: () => text().min(1).regex(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^\0\\]+$/),
    default: ".Lumina/PROJECT_SKILLS",
    kind: "text",
    must: "a folder inside the project, relative to it",
    description: "A project's second folder of skills, beside `skills/` and `.Lumina/skills/`.",
    project: "replace",
  }),
  disabled_skills: key({
    schema: names,
    default: [],
    kind: "list",
    must: "a list of names of skills",
    description: "Skills that are not used, wherever they come from. Lists of all sources add up.",
    project: "add",
  }),
  skill_commands: key({
    schema: () => z.boolean(),
    default: true,
    kind: "boolean",
    must: "true or false",
    description:
      "Run the commands that skills have in their text. Each is judged like a call of Bash, and those of a repository or a pack are asked about.",
    project: "no",
  }),
  skill_command_max_chars: key({
    schema: () => wholeFrom(100, 1_000_000),
    default: 20_000,
    kind: "number",
    must: "a whole number from 100 to 1,000,000",
    description: "Characters of the output of one command in a skill's text that become a part of it.",
    project: "replace",
  }),
};
