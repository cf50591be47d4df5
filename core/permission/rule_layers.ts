import { errorMessage, LuminaError } from "../base/mod.ts";
import { FAMILIES, parseRule, unreadRule } from "./rule.ts";
import type { Rule, RuleSource } from "./rule.ts";
import { matchesName } from "./tool_match.ts";

/** The lists that rules stand in. */
export type RuleList = "deny" | "ask" | "allow";

/** The rules of one place, as settings have them. */
export interface RuleLayer {
  source: RuleSource;
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
  /** Line of each rule in the file of the source, where it is known. */
  lines?: Partial<Record<RuleList, readonly number[]>>;
  defaultMode?: string;
  additionalDirectories?: readonly string[];
  /** `"disable"` takes mode `yolo` away. */
  disableBypassPermissionsMode?: string;
}

/** One rule as it stands in its place, with what became of it. */
export interface RuleNote {
  list: RuleList;
  text: string;
  source: RuleSource;
  line?: number;
  /** What is wrong with it, and what it counts as; absent when it holds as it is written. */
  problem?: string;
}

/** The rules of all layers, ready to judge by. */
export interface ReadRules {
  deny: Rule[];
  ask: Rule[];
  allow: Rule[];
  notes: RuleNote[];
  warnings: string[];
}

/** How rules are read. */
export interface ReadRulesOptions {
  /** Only the managed layer may allow anything. */
  managed_only?: boolean;
  /** Names of all tools and their aliases; absent = a name that can be read is taken as a tool's. */
  tools?: readonly string[];
}

/**
 * Reads the rules of all layers. A text that cannot be read never counts as absent: where it was to refuse or to ask, it asks
 * for everything that it could have meant; where it was to allow, it allows nothing. A rule of the command line throws
 * `permission.rule` instead: the person who typed it is there. A repository's file may refuse and ask; its allow rules are
 * dropped with a warning.
 */
export function readRules(layers: readonly RuleLayer[], options: ReadRulesOptions = {}): ReadRules {
  const read: ReadRules = { deny: [], ask: [], allow: [], notes: [], warnings: [] };
  for (const layer of layers) {
    for (const list of ["deny", "ask", "allow"] as const) {
      for (const [index, text] of (layer[list] ?? []).entries()) {
        const line = layer.lines?.[list]?.[index];
        const problem = list === "allow"
          ? addAllow(read, text, layer.source, line, options)
          : addRefusal(read, list, text, layer.source, line, options);
        read.notes.push({
          list,
          text,
          source: layer.source,
          ...(line === undefined ? {} : { line }),
          ...(problem === undefined ? {} : { problem }),
        });
        if (problem !== undefined) read.warnings.push(problem);
      }
    }
  }
  return read;
}

function addRefusal(
  read: ReadRules,
  list: "deny" | "ask",
  text: string,
  source: RuleSource,
  line: number | undefined,
  { tools }: ReadRulesOptions,
): string | undefined {
  let rule: Rule;
  try {
    rule = parseRule(text, source, line);
  } catch (error) {
    if (source.origin === "flag" || !(error instanceof LuminaError)) throw error;
    const asks = unreadRule(text, errorMessage(error), source, line, tools);
    read.ask.push(asks);
    const what = asks.tool === "*" ? "every call" : `every call of ${asks.tool}`;
    return `${errorMessage(error)}; until then it asks before ${what}`;
  }
  const family = rule.specifier === undefined || isParam(rule.specifier) ? undefined : FAMILIES[rule.tool];
  read[list].push(family === undefined ? rule : { ...rule, tool: family });
  if (rule.tool.includes("*")) read[list].push(...onPaths(rule));
  if (family === undefined) return undefined;
  return `${placed(rule)}: paths are ruled by Read and Edit; it is taken as ${family}(${rule.specifier})`;
}

function addAllow(
  read: ReadRules,
  text: string,
  source: RuleSource,
  line: number | undefined,
  { managed_only }: ReadRulesOptions,
): string | undefined {
  const at = { text: text.trim(), source, ...(line === undefined ? {} : { line }) };
  if (source.origin === "repo") {
    return `${source.file ?? "the repository's file"}${
      line === undefined ? "" : `:${line}`
    }: allow ${text} is ignored; ` +
      "a file in a repository may only deny and ask";
  }
  if (managed_only === true && source.origin !== "managed") {
    return `${placed(at)}: ignored; the managed settings let only their own rules allow anything`;
  }
  let rule: Rule;
  try {
    rule = parseRule(text, source, line);
  } catch (error) {
    if (source.origin === "flag" || !(error instanceof LuminaError)) throw error;
    return `${errorMessage(error)}; until then it allows nothing`;
  }
  if (rule.tool.includes("*") && !/^mcp__[^*]+?__/.test(rule.tool)) {
    return `${placed(rule)}: an allow rule may have * in a tool name only after mcp__<server>__; ignored`;
  }
  const family = rule.specifier === undefined ? undefined : FAMILIES[rule.tool];
  if (family !== undefined) {
    return `${placed(rule)}: paths are ruled by Read and Edit; ignored, write ${family}(${rule.specifier})`;
  }
  read.allow.push(rule);
  return undefined;
}

/** A pattern of tools with a specifier rules the paths of those that it names as well. */
function onPaths(rule: Rule): Rule[] {
  const { specifier } = rule;
  if (specifier === undefined || isParam(specifier)) return [];
  const names = (
    family: string,
  ) => [family, ...Object.keys(FAMILIES).filter((name) => FAMILIES[name] === family)];
  return ["Read", "Edit"].filter((family) => names(family).some((name) => matchesName(rule.tool, name)))
    .map((tool) => ({ ...rule, tool }));
}

function placed({ text, source, line }: Pick<Rule, "text" | "source" | "line">): string {
  return source.file === undefined ? text : `${source.file}${line === undefined ? "" : `:${line}`}: ${text}`;
}

function isParam(specifier: string): boolean {
  return /^[a-z_][a-z0-9_]*:/.test(specifier);
}
