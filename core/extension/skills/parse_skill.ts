import { nearest } from "../../base/mod.ts";
import { splitRuleList } from "../../permission/mod.ts";
import type { Json } from "../../types/mod.ts";
import { FrontMatterError, readFrontMatter } from "../front_matter.ts";
import type { FrontMatter } from "../front_matter.ts";
import { SKILL_SHELLS } from "./skill.ts";
import type { SkillFields, SkillProblem, SkillShell } from "./skill.ts";

/** A skill's file, taken apart. */
export interface ParsedSkill {
  /** Undefined when it cannot be used. */
  fields?: SkillFields;
  problems: SkillProblem[];
  body: string;
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MOST_NAME = 64;
const MOST_DESCRIPTION = 1024;
/** With the description, as published for `when_to_use`. */
const MOST_WHEN = 1536;

/** Efforts by the words that skills use for them. */
const EFFORT_WORDS: Readonly<Record<string, SkillFields["effort"]>> = {
  low: "low",
  quick: "low",
  medium: "medium",
  standard: "medium",
  high: "high",
  xhigh: "high",
  max: "max",
};

/**
 * Reads a `SKILL.md` by the public format (agentskills.io) with the fields that other agents add. `name` is that of its
 * folder. Never throws: what is wrong is told with its line, and whether the skill works all the same.
 */
export async function parseSkill(text: string, name: string, file: string): Promise<ParsedSkill> {
  let matter: FrontMatter;
  try {
    matter = await readFrontMatter(text, file);
  } catch (error) {
    if (!(error instanceof FrontMatterError)) throw error;
    return { problems: [{ file, line: error.line, message: error.reason, usable: false }], body: "" };
  }
  const reader = new FieldReader(matter, file);
  reader.name(name);
  const fields = reader.fields();
  const broken = reader.problems.some(({ usable }) => !usable);
  return { ...(broken ? {} : { fields }), problems: reader.problems, body: matter.body };
}

/**
 * Reads the file of a slash command: the fields of a skill that mean something for it, all optional. Without a description
 * its first line stands for one. Never throws.
 */
export async function parseCommandFile(text: string, file: string): Promise<ParsedSkill> {
  let matter: FrontMatter;
  try {
    matter = await readFrontMatter(text, file);
  } catch (error) {
    if (!(error instanceof FrontMatterError)) throw error;
    return { problems: [{ file, line: error.line, message: error.reason, usable: false }], body: "" };
  }
  const first = matter.body.split("\n").map((line) => line.replace(/^#+/, "").trim()).find((line) =>
    line !== ""
  );
  if (first === undefined) {
    const line = matter.body_line;
    return {
      problems: [{ file, line, message: "there is no text behind the front matter", usable: false }],
      body: "",
    };
  }
  const description = matter.fields["description"] ?? first.slice(0, 250);
  const reader = new FieldReader({ ...matter, fields: { ...matter.fields, description } }, file);
  const fields = reader.fields();
  const broken = reader.problems.some(({ usable }) => !usable);
  return { ...(broken ? {} : { fields }), problems: reader.problems, body: matter.body };
}

/** What is wrong with the name of a skill, or undefined. */
export function nameProblem(name: string): string | undefined {
  if (name.length > MOST_NAME) return `the name is longer than ${MOST_NAME} characters`;
  if (NAME.test(name)) return undefined;
  return `the name ${
    JSON.stringify(name.slice(0, 80))
  } may hold lower-case letters, digits and single hyphens between them`;
}

class FieldReader {
  readonly problems: SkillProblem[] = [];
  readonly #matter: FrontMatter;
  readonly #file: string;

  constructor(matter: FrontMatter, file: string) {
    this.#matter = matter;
    this.#file = file;
  }

  name(folder: string): void {
    const wrong = nameProblem(folder);
    if (wrong !== undefined) this.#wrong(undefined, `${wrong}: rename its folder`);
    const given = this.#value("name");
    if (given === undefined || String(given) === folder) return;
    this.#wrong(
      "name",
      `its name is ${JSON.stringify(given)} and that of its folder "${folder}": they must be the same`,
    );
  }

  fields(): SkillFields {
    const description = this.#description();
    const when_to_use = this.#text("when_to_use");
    if (when_to_use !== undefined && description.length + when_to_use.length > MOST_WHEN) {
      this.#wrong("when_to_use", `description and when-to-use are longer than ${MOST_WHEN} characters`);
    }
    const allowed_tools = this.#rules("allowed_tools");
    const model = this.#text("model");
    const agent = this.#text("agent");
    const paths = this.#list("paths");
    const effort = this.#effort();
    if (this.#value("hooks") !== undefined) {
      this.#wrong("hooks", "hooks of a skill are not run; everything else of it works", true);
    }
    return {
      description,
      ...(when_to_use === undefined ? {} : { when_to_use }),
      argument_hint: this.#hint(),
      arguments: this.#list("arguments") ?? [],
      ...(allowed_tools === undefined ? {} : { allowed_tools }),
      ...(model === undefined || model === "inherit" ? {} : { model }),
      ...(effort === undefined ? {} : { effort }),
      fork: this.#fork(),
      ...(agent === undefined ? {} : { agent }),
      shell: this.#shell(),
      ...(paths === undefined || paths.length === 0 ? {} : { paths }),
      user_invocable: this.#flag("user_invocable", true),
      model_invocable: !this.#flag("disable_model_invocation", false),
    };
  }

  #description(): string {
    const given = this.#text("description");
    if (given !== undefined) {
      if (given.length > MOST_DESCRIPTION) {
        this.#wrong("description", `the description is longer than ${MOST_DESCRIPTION} characters`);
      }
      return given;
    }
    const { body } = this.#matter;
    const first = body.split(/\n\s*\n/).map((part) => part.trim()).find((part) =>
      part !== "" && !part.startsWith("#") && !part.startsWith("```")
    );
    const found = first?.replace(/\s+/g, " ").slice(0, 250);
    if (found !== undefined) return found;
    this.#wrong("description", "it has no description");
    return "";
  }

  #hint(): string {
    const value = this.#value("argument_hint");
    // `[file]` is a list for YAML and a hint for people
    if (Array.isArray(value)) return `[${value.map(String).join(", ")}]`;
    return this.#text("argument_hint") ?? "";
  }

  #fork(): boolean {
    const value = this.#text("context") ?? "inline";
    if (value === "fork") return true;
    if (value !== "inline" && value !== "inherit") {
      this.#wrong("context", `context is ${JSON.stringify(value)}; it may be inline or fork`);
    }
    return false;
  }

  #shell(): SkillShell {
    const value = this.#text("shell") ?? "bash";
    const known = SKILL_SHELLS.find((name) => name === value);
    if (known !== undefined) return known;
    this.#wrong("shell", `shell is ${JSON.stringify(value)}; it may be ${SKILL_SHELLS.join(", ")}`);
    return "bash";
  }

  #effort(): SkillFields["effort"] {
    const value = this.#value("effort");
    if (value === undefined || value === null || value === "inherit") return undefined;
    // a budget of thinking tokens, as older skills give it
    if (typeof value === "number") return value <= 1024 ? "low" : value <= 8192 ? "medium" : "high";
    if (typeof value === "boolean") return value ? undefined : "low";
    const known = typeof value === "string" ? EFFORT_WORDS[value.toLowerCase()] : undefined;
    if (known !== undefined) return known;
    const near = typeof value === "string" ? nearest(value, Object.keys(EFFORT_WORDS)) : undefined;
    const hint = near === undefined ? "" : `; did you mean ${near}?`;
    this.#wrong("effort", `effort is ${JSON.stringify(value)}; it may be low, medium, high or max${hint}`);
    return undefined;
  }

  #flag(key: string, otherwise: boolean): boolean {
    const value = this.#value(key);
    if (value === undefined || value === null) return otherwise;
    if (typeof value === "boolean") return value;
    if (value === "true" || value === "false") return value === "true";
    this.#wrong(key, `${shown(key)} is ${JSON.stringify(value)}; it may be true or false`);
    return otherwise;
  }

  #text(key: string): string | undefined {
    const value = this.#value(key);
    if (value === undefined || value === null) return undefined;
    if (typeof value === "object") {
      this.#wrong(key, `${shown(key)} must be a text`);
      return undefined;
    }
    const text = String(value).trim();
    return text === "" ? undefined : text;
  }

  /** A list, or a text of words between spaces or commas. */
  #list(key: string): string[] | undefined {
    const value = this.#value(key);
    if (value === undefined || value === null) return undefined;
    if (Array.isArray(value)) return this.#texts(key, value);
    return this.#text(key)?.split(/[\s,]+/).filter((word) => word !== "");
  }

  /** Rules in a list, or in a text between spaces or commas that stand outside brackets. */
  #rules(key: string): string[] | undefined {
    const value = this.#value(key);
    if (value === undefined || value === null) return undefined;
    const texts = Array.isArray(value) ? this.#texts(key, value) : [this.#text(key) ?? ""];
    try {
      return texts.flatMap((text) => splitRuleList(text));
    } catch (error) {
      this.#wrong(key, `${shown(key)}: ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  }

  #texts(key: string, values: Json[]): string[] {
    if (values.some((item) => typeof item === "object")) {
      this.#wrong(key, `${shown(key)} must be a list of texts`);
      return [];
    }
    return values.map((item) => String(item).trim()).filter((text) => text !== "");
  }

  #value(key: string): Json | undefined {
    return this.#matter.fields[key];
  }

  #wrong(key: string | undefined, message: string, usable = false): void {
    const line = key === undefined ? undefined : this.#matter.lines[key];
    this.problems.push({ file: this.#file, ...(line === undefined ? {} : { line }), message, usable });
  }
}

function shown(key: string): string {
  return key.replaceAll("_", "-");
}
