import { LuminaError } from "../base/mod.ts";

/** Where a rule stands. `repo` is a file inside the repository: it may refuse and ask, never allow. */
export interface RuleSource {
  origin: "user" | "project" | "flag" | "session" | "repo";
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
}

const TOOL = /^[A-Za-z_*][A-Za-z0-9_.*-]*$/;

/**
 * Reads one rule. Throws `permission.rule` that names the text and what is wrong with it. Whether the specifier fits the
 * tool is known only beside the tool, so it is judged when the rule meets a call.
 */
export function parseRule(text: string, source: RuleSource): Rule {
  const trimmed = text.trim();
  const open = trimmed.indexOf("(");
  const tool = open === -1 ? trimmed : trimmed.slice(0, open);
  const wrong = (what: string) =>
    new LuminaError(
      "permission.rule",
      `The permission rule ${JSON.stringify(text)}${
        source.file === undefined ? "" : ` in ${source.file}`
      } ${what}`,
      { exit: 2, details: { rule: text } },
    );
  if (trimmed === "") throw wrong("is empty; write Tool or Tool(specifier)");
  if (!TOOL.test(tool)) {
    throw wrong(`does not begin with a tool name (${JSON.stringify(tool)}); write Tool or Tool(specifier)`);
  }
  if (open === -1) return { text: trimmed, tool, source };
  if (!trimmed.endsWith(")")) throw wrong("has no closing bracket at its end; write Tool(specifier)");
  const specifier = trimmed.slice(open + 1, -1).trim();
  if (specifier === "") throw wrong(`has nothing between its brackets; write ${tool} for the whole tool`);
  if (/[\0\n]/.test(specifier)) throw wrong("holds a line break or a NUL; write it on one line");
  if (specifier === "*") return { text: trimmed, tool, source };
  if (/^(WebFetch|web_?fetch)$/i.test(tool) && !/^[A-Za-z_]\w*:(?!\/\/)/.test(specifier)) {
    throw wrong("names no host; write WebFetch(domain:example.com)");
  }
  if (/^(Read|Edit)$/.test(tool) && specifier.startsWith("!")) {
    throw wrong("begins with !, which no rule can; put the exception into another list");
  }
  return { text: trimmed, tool, specifier, source };
}

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
export function ruleLabel(rule: Rule): string {
  return `${rule.text} (${rule.source.file ?? rule.source.origin})`;
}
