import { LuminaError } from "../base/mod.ts";

/**
 * Where a rule stands, strongest first: the file of whoever looks after the machine, the command line, the file that
 * `--settings` names, what "always in this project" wrote, the user's settings; `session` was decided while the session runs.
 * `repo` is a file inside the repository: it may refuse and ask, never allow.
 */
export type RuleScope = "managed" | "flag" | "local" | "project" | "user" | "session" | "repo";

/** The place of rules. */
export interface RuleSource {
  origin: RuleScope;
  file?: string;
  /** Absolute folder where `/path` patterns of this source start. */
  base_dir: string;
}

/** One permission rule: `Tool` or `Tool(specifier)`. Plain data. */
export interface Rule {
  /** As it was written. */
  text: string;
  /** Tool name, or a pattern with `*`. */
  tool: string;
  /** Absent for a rule on the whole tool; `Tool(*)` counts as that. */
  specifier?: string;
  source: RuleSource;
  /** Line in the file of its source, from 1. */
  line?: number;
  /** It cannot be read: what is wrong. It asks for everything that it could have meant. */
  problem?: string;
}

/** Characters of a text for which a rule is guessed that it was meant to be. */
const MOST_GUESSED = 1000;

const TOOL = /^[A-Za-z_*][A-Za-z0-9_.*-]*$/;

/**
 * Reads one rule. Throws `permission.rule` that names the text, what is wrong with it and the nearest rule that can be read.
 * Whether the specifier fits the tool is known only beside the tool, so it is judged when the rule meets a call.
 */
export function parseRule(text: string, source: RuleSource, line?: number): Rule {
  const read = readRule(text);
  if ("wrong" in read) {
    const place = source.file === undefined
      ? ""
      : ` in ${source.file}${line === undefined ? "" : `:${line}`}`;
    throw new LuminaError(
      "permission.rule",
      `The permission rule ${JSON.stringify(text)}${place} ${read.wrong}; write ${nearestRule(text)}`,
      { exit: 2, details: { rule: text } },
    );
  }
  return { ...read, source, ...(line === undefined ? {} : { line }) };
}

/** The parts of a rule, or what is wrong with its text. */
function readRule(text: string): Pick<Rule, "text" | "tool" | "specifier"> | { wrong: string } {
  const trimmed = text.trim();
  const open = trimmed.indexOf("(");
  const tool = open === -1 ? trimmed : trimmed.slice(0, open);
  if (trimmed === "") return { wrong: "is empty" };
  if (!TOOL.test(tool)) return { wrong: `does not begin with a tool name (${JSON.stringify(tool)})` };
  const named = SAME[tool] ?? tool;
  if (open === -1) return { text: trimmed, tool: named };
  if (!trimmed.endsWith(")")) return { wrong: "has no closing bracket at its end" };
  const specifier = trimmed.slice(open + 1, -1).trim();
  if (specifier === "") return { wrong: "has nothing between its brackets" };
  if (/[\0\r\n]/.test(specifier)) return { wrong: "holds a line break or a NUL" };
  if (specifier === "*") return { text: trimmed, tool: named };
  if (hasBracketTooMany(specifier)) return { wrong: "has a closing bracket without its partner" };
  if (isFetch(tool) && !/^(?!domain:.*\/)[A-Za-z_]\w*:(?!\/\/)/.test(specifier)) {
    return { wrong: "names no host" };
  }
  const of_paths = /^(Read|Edit)$/.test(FAMILIES[tool] ?? named);
  if (of_paths && specifier.startsWith("!")) {
    return { wrong: "begins with !, which no rule can: the exception goes into another list" };
  }
  if (of_paths && specifier.replace(/\\./g, "").replace(/\[[!^]?\]?[^\]]*\]/g, "").includes("[")) {
    return { wrong: "has a [ without its partner" };
  }
  if ((of_paths ? UNSEEN : UNSEEN_OR_BLANK).test(specifier)) {
    return { wrong: "holds a character that nobody sees or that only looks like a space" };
  }
  return { text: trimmed, tool: named, specifier };
}

/** Characters that no path and no command has on purpose; joiners of letters and signs stand in names of files. */
const UNSEEN = /[\p{Cc}\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u;
/** The same for commands, of which those with such characters are never run unasked. */
const UNSEEN_OR_BLANK = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;

/** True of what stands between brackets when it closes one that it has not opened, at its end or before another rule. */
export function hasBracketTooMany(specifier: string): boolean {
  let depth = 0;
  for (let at = 0; at < specifier.length; at++) {
    if (specifier[at] === "(") depth++;
    if (specifier[at] !== ")" || --depth >= 0) continue;
    if (at === specifier.length - 1) return true;
    if (/^[\s,;]{1,9}(?:[A-Z]\w*|mcp__\w+)\(/.test(specifier.slice(at + 1, at + 200))) return true;
    depth = 0;
  }
  return false;
}

function isFetch(tool: string): boolean {
  return /^(WebFetch|web_?fetch)$/i.test(tool);
}

/** The rule that a text which is none was most likely meant to be; `Tool(specifier)` where nothing can be guessed. */
export function nearestRule(text: string): string {
  if (text.length > MOST_GUESSED) return "Tool or Tool(specifier)";
  const plain = text.replace(/[\0\s]+/g, " ").trim().replace(/^["'`]+|["'`;,]+$/g, "");
  const [, tool, rest = ""] = /^([A-Za-z_*][\w.*-]*)[\s:=]*(.*)$/.exec(plain) ??
    [undefined, "Tool", plain];
  const inner = rest.replace(/^[([{<\s]+/, "").replace(/^!+/, "");
  const balanced = (count(inner, "(") >= count(inner, ")") ? inner : inner.replace(/[)\s]+$/, "")).replace(
    /[\]}>\s]+$/,
    "",
  );
  const closed = withoutTail(balanced.replace(/\)\s+([^)]*)$/, " $1")).replace(UNSEEN_ALL, " ").trim();
  const host = isFetch(tool ?? "")
    ? URL.parse(closed.replace(/^domain:\s*/, ""))?.hostname || closed.replace(/^\/+/, "").split("/", 1)[0]
    : undefined;
  const specifier = host === undefined || host === "" ? closed : `domain:${host}`;
  const guess = specifier === "" ? `${tool}` : `${tool}(${specifier})`;
  return plain === "" || guess === "Tool" || "wrong" in readRule(guess) ? "Tool or Tool(specifier)" : guess;
}

const UNSEEN_ALL = new RegExp(UNSEEN_OR_BLANK.source, "gu");

/** What stands before a bracket that closes one too many. */
function withoutTail(text: string): string {
  for (let short = text; short.includes(")"); short = short.slice(0, short.lastIndexOf(")"))) {
    if (!hasBracketTooMany(short)) return short;
  }
  return text.split(")", 1)[0] ?? text;
}

function count(text: string, char: string): number {
  return text.split(char).length - 1;
}

/**
 * What a text that cannot be read as a rule stands for where it was to refuse or to ask: a question about every call of its
 * tool, and of every tool where the name of the tool cannot be read or is none of `known`.
 */
export function unreadRule(
  text: string,
  problem: string,
  source: RuleSource,
  line?: number,
  known?: readonly string[],
): Rule {
  const name = /^([A-Za-z_][\w-]*)(?=$|[\s([{<:=])/.exec(text.trim().replace(/^["'`]+/, ""))?.[1];
  const tool =
    name === undefined || (known !== undefined && !known.includes(name) && !name.startsWith("mcp__"))
      ? "*"
      : FAMILIES[name] ?? SAME[name] ?? name;
  return { text: text.trim(), tool, source, ...(line === undefined ? {} : { line }), problem };
}

/** Older names of the two tools that rules on paths are written for. */
const SAME: Readonly<Record<string, string>> = { read_file: "Read", edit_file: "Edit" };

/** Names that rules on paths are not written for, and the ones that stand for them. */
export const FAMILIES: Readonly<Record<string, string>> = {
  Write: "Edit",
  MultiEdit: "Edit",
  NotebookEdit: "Edit",
  apply_patch: "Edit",
  Glob: "Read",
  Grep: "Read",
  List: "Read",
  write_file: "Edit",
  multi_edit: "Edit",
  glob_match: "Read",
  grep_search: "Read",
  list_directory: "Read",
  LS: "Read",
};

/**
 * Splits a list of rules as a flag has it, at commas and spaces outside brackets:
 * `Bash(git log *), Edit Read` gives three. Throws `permission.rule` for a bracket without its partner.
 */
export function splitRuleList(text: string): string[] {
  const rules: string[] = [];
  let depth = 0;
  let current = "";
  for (const char of text) {
    if (depth === 0 && /[\s,]/.test(char)) {
      if (current !== "") rules.push(current);
      current = "";
      continue;
    }
    if (char === "(") depth += 1;
    if (char === ")") depth -= 1;
    if (depth < 0) break;
    current += char;
  }
  if (depth !== 0) {
    throw new LuminaError(
      "permission.rule",
      `The rule list ${JSON.stringify(text)} has a bracket without its partner; write Tool(specifier),Tool`,
      { exit: 2 },
    );
  }
  if (current !== "") rules.push(current);
  return rules;
}

/** A rule with the place it stands in, for people. */
export function ruleLabel({ text, source, line }: Rule): string {
  const place = source.file === undefined
    ? source.origin
    : `${source.file}${line === undefined ? "" : `:${line}`}`;
  return `${text} (${place})`;
}
