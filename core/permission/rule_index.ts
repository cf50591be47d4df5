import { PathPattern } from "../files/mod.ts";
import type { JsonObject } from "../types/mod.ts";
import type { Policy } from "./policy.ts";
import { rulePattern } from "./policy.ts";
import type { Rule } from "./rule.ts";
import { namesPathFamily, namesTool } from "./tool_match.ts";
import type { ToolFacts } from "./tool_match.ts";
import { HOLE, patternVariants } from "./wildcard.ts";

/**
 * What is known of a list of rules before any call: a decision then looks at the few rules that may hold for it, in the
 * order of the list. Kept for as long as the list lives; a list that has grown is read anew. An index only leaves out rules
 * that cannot match, so a decision is the same as over the whole list.
 */
export interface ToolRules {
  /** The first rule on the whole tool. */
  whole: Rule | undefined;
  /** Rules that may hold for a call whatever its command is: on the whole tool, or on a parameter that it has. */
  general(input: JsonObject): readonly Rule[];
  /** Rules with a specifier that may match one of these command lines. */
  candidates(lines: Iterable<string>): readonly Rule[];
}

/** Rules of a list on paths of one family, `Read` or `Edit`. */
export interface PathRules {
  rules: readonly Rule[];
  /** False when it is certain that none of them matches one of the paths. */
  mayMatch(paths: readonly string[], is_dir: boolean): boolean;
}

interface ListIndex {
  size: number;
  /** By the very tool, before its names are put together. */
  known: WeakMap<ToolFacts, ToolRules>;
  tools: Map<string, ToolRules>;
  paths: Map<string, PathRules>;
  specific?: boolean;
  on_paths?: boolean;
}

const indexes = new WeakMap<readonly Rule[], ListIndex>();

function indexOf(list: readonly Rule[]): ListIndex {
  let index = indexes.get(list);
  if (index === undefined || index.size !== list.length) {
    const { length: size } = list;
    indexes.set(list, index = { size, known: new WeakMap(), tools: new Map(), paths: new Map() });
  }
  return index;
}

/** The rules of a list that name a tool. */
export function toolRules(list: readonly Rule[], tool: ToolFacts): ToolRules {
  const { known, tools } = indexOf(list);
  const last = known.get(tool);
  if (last !== undefined) return last;
  const key = [tool.name, ...tool.aliases].join("\0");
  let rules = tools.get(key);
  if (rules === undefined) {
    tools.set(
      key,
      rules = compileToolRules(list.filter((rule) => namesTool(rule, tool))),
    );
  }
  known.set(tool, rules);
  return rules;
}

type ListName = "deny" | "ask" | "allow";
const WRITES = { deny: "deny write", ask: "ask write", allow: "allow write" } as const;

/** What was found for a policy last, while its lists stay as they are. */
interface Found {
  list: readonly Rule[];
  size: number;
  rules: PathRules;
}

const found = new WeakMap<Policy, Map<string, Found>>();

/** The rules of a policy's list on paths that are read or written. */
export function pathRules(policy: Policy, name: ListName, access: "read" | "write"): PathRules {
  let of_policy = found.get(policy);
  if (of_policy === undefined) found.set(policy, of_policy = new Map());
  const list = policy[name];
  const short = access === "read" ? name : WRITES[name];
  const last = of_policy.get(short);
  if (last !== undefined && last.list === list && last.size === list.length) return last.rules;
  const { paths } = indexOf(list);
  const key = `${short} ${policy.folds_case} ${policy.workspace} ${policy.home}`;
  let rules = paths.get(key);
  if (rules === undefined) paths.set(key, rules = compilePathRules(policy, name, access));
  of_policy.set(short, { list, size: list.length, rules });
  return rules;
}

/** True when a rule of the list has a specifier. */
export function hasSpecific(list: readonly Rule[]): boolean {
  const index = indexOf(list);
  return index.specific ??= list.some((rule) => rule.specifier !== undefined);
}

/** True when a rule of the list names certain paths. */
export function hasPathRules(list: readonly Rule[]): boolean {
  const index = indexOf(list);
  return index.on_paths ??= list.some((rule) =>
    rule.specifier !== undefined && (rule.tool === "Read" || rule.tool === "Edit")
  );
}

/** A rule whose pattern fixes the first word; every line that it matches begins with `prefix`. */
interface FixedRule {
  position: number;
  prefix: string;
}

/** Rules of one first word; those that fix a second one whole lie under both. */
interface WordRules {
  all: FixedRule[];
  short: FixedRule[];
  pairs: Map<string, FixedRule[]>;
}

/** A rule whose pattern fixes no first word, with the longest text that every line it matches holds. */
interface OpenRule {
  position: number;
  needs: string;
}

function compileToolRules(named: readonly Rule[]): ToolRules {
  const specific = named.filter((rule) => rule.specifier !== undefined);
  const words = new Map<string, WordRules>();
  const open: OpenRule[] = [];
  for (const [position, { specifier = "" }] of specific.entries()) {
    // a line that the longer of two variants matches is one for the shorter one's texts too
    const variants = patternVariants(specifier);
    const texts = (variants.at(-1) ?? "").split("*");
    const [prefix = ""] = texts;
    const blank = prefix.indexOf(" ");
    if (texts.length === 1 || blank !== -1) {
      const word = blank === -1 ? prefix : prefix.slice(0, blank);
      let rules = words.get(word);
      if (rules === undefined) words.set(word, rules = { all: [], short: [], pairs: new Map() });
      const rule = { position, prefix };
      rules.all.push(rule);
      const second = blank === -1 ? -1 : prefix.indexOf(" ", blank + 1);
      if (second === -1) rules.short.push(rule);
      else {
        const pair = prefix.slice(0, second);
        const same = rules.pairs.get(pair);
        if (same === undefined) rules.pairs.set(pair, [rule]);
        else same.push(rule);
      }
    } else {
      open.push({
        position,
        needs: texts.reduce((best, text) => text.length > best.length ? text : best, ""),
      });
    }
  }
  const wholes: number[] = [];
  const params = new Map<string, number[]>();
  for (const [position, { specifier }] of named.entries()) {
    const name = specifier?.slice(0, Math.max(specifier.indexOf(":"), 0));
    if (name === undefined) wholes.push(position);
    else if (name !== "") params.set(name, [...params.get(name) ?? [], position]);
  }
  const common = commonPrefix(open.map(({ needs }) => needs));
  const needed = new RegExp(open.map(({ needs }) => RegExp.escape(needs)).join("|"), "s");
  return {
    whole: named.find((rule) => rule.specifier === undefined),
    general: (input) => {
      const positions = Object.keys(input).flatMap((name) => params.get(name) ?? []);
      return [...wholes, ...positions].sort((a, b) => a - b).flatMap((position) => named[position] ?? []);
    },
    candidates(lines) {
      let positions: Set<number> | undefined;
      const keep = (position: number) => (positions ??= new Set()).add(position);
      for (const line of lines) {
        const blank = line.indexOf(" ");
        const word = blank === -1 ? line : line.slice(0, blank);
        // a first word that is not known may be any
        if (word.includes(HOLE)) return specific;
        const unknown = line.includes(HOLE);
        const rules = words.get(word);
        if (rules !== undefined) {
          const second = blank === -1 ? -1 : line.indexOf(" ", blank + 1);
          const pair = rules.pairs.size === 0 || second === -1
            ? undefined
            : rules.pairs.get(line.slice(0, second));
          for (const { position, prefix } of unknown ? rules.all : rules.short) {
            if (unknown || line.startsWith(prefix)) keep(position);
          }
          for (const { position, prefix } of pair ?? []) if (line.startsWith(prefix)) keep(position);
        }
        if (open.length === 0 || !(unknown || (line.includes(common) && needed.test(line)))) continue;
        for (const { position, needs } of open) if (unknown || line.includes(needs)) keep(position);
      }
      if (positions === undefined) return [];
      return [...positions].sort((a, b) => a - b).flatMap((position) => specific[position] ?? []);
    },
  };
}

/** What all texts begin with. */
function commonPrefix(texts: readonly string[]): string {
  const [first = "", ...rest] = texts;
  let length = first.length;
  for (const text of rest) while (!text.startsWith(first.slice(0, length))) length--;
  return first.slice(0, length);
}

function compilePathRules(
  policy: Policy,
  list: "deny" | "ask" | "allow",
  access: "read" | "write",
): PathRules {
  const rules = policy[list].filter((rule) => namesPathFamily(rule, access));
  const whole = rules.some((rule) => rule.specifier === undefined);
  const patterns = rules.filter((rule) => rule.specifier !== undefined).map((rule) =>
    rulePattern(rule, policy, list)
  );
  const together = PathPattern.anyOf(patterns);
  return {
    rules,
    mayMatch: (paths, is_dir) => rules.length > 0 && (whole || paths.some((path) => together(path, is_dir))),
  };
}
