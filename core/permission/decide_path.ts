import type { Behavior, Verdict } from "../types/mod.ts";
import type { PathFact } from "./facts.ts";
import { rulePattern } from "./policy.ts";
import type { Policy } from "./policy.ts";
import { ruleLabel } from "./rule.ts";
import type { Rule } from "./rule.ts";
import { pathRules } from "./rule_index.ts";
import { isPublicFile, placeOf, sensitiveName } from "./sensitive_paths.ts";

/** One finding about a part of a call; the strictest of all is the verdict. */
export interface Finding {
  behavior: Behavior;
  reason: string;
  source: Verdict["source"];
  rule?: string;
  /** The part of a command line that it is about. */
  part?: string;
}

/** Judges a path that is opened: rules first, then the mode. */
export function judgePath(path: PathFact, policy: Policy, extra: PathRules = {}): Finding {
  const refused = extra.refused === undefined ? refusedPath(path, policy) : extra.refused ?? undefined;
  if (refused?.behavior === "deny") return refused;
  const place = isPublicFile(path.resolved) && path.access === "read"
    ? "inside"
    : path.aliases.some((alias) => placeOf(alias, path.access, policy) === "protected")
    ? "protected"
    : placeOf(path.resolved, path.access, policy);
  if (place === "protected" && path.access === "write") {
    return {
      behavior: "deny",
      reason: `${path.given} belongs to Lumina itself; change it by hand or with lumina's own commands`,
      source: "path",
    };
  }
  const mode = path.access === "read" ? readByMode(path, place, policy) : writeByMode(path, place, policy);
  // a mode that refuses is not softened by a rule that asks
  if (refused !== undefined) return mode.behavior === "deny" && policy.mode === "plan" ? mode : refused;
  if (mode.behavior === "allow" || extra.ignore_allow === true) return mode;
  if (path.access === "write" && policy.mode === "plan") return mode;
  const sensitive = path.access === "write" ? sensitiveOf(path, policy) : undefined;
  const { rules, mayMatch } = pathRules(policy, "allow", path.access);
  const rule = mayMatch([path.link], path.is_dir)
    ? rules.find((candidate) => allows(candidate, path, policy, sensitive))
    : undefined;
  if (rule === undefined) return mode;
  return {
    behavior: "allow",
    reason: `${ruleLabel(rule)} allows ${path.given}`,
    source: "rule",
    rule: ruleLabel(rule),
  };
}

/** How `judgePath` is used. */
export interface PathRules {
  ignore_allow?: boolean;
  /** What `refusedPath` has said of it, null for nothing; absent: it is asked. */
  refused?: Finding | null | undefined;
}

/** The rule that refuses a path or asks for it, by its link or by what the link leads to. */
export function refusedPath(path: PathFact, policy: Policy): Finding | undefined {
  for (const list of ["deny", "ask"] as const) {
    const { rules, mayMatch } = pathRules(policy, list, path.access);
    if (!mayMatch(namesOf(path), path.is_dir)) continue;
    const rule = rules.find((candidate) => touches(candidate, path, policy, list));
    if (rule === undefined) continue;
    return {
      behavior: list,
      reason: `${ruleLabel(rule)} ${list === "deny" ? "refuses" : "asks for"} ${path.given}${arrow(path)}`,
      source: "rule",
      rule: ruleLabel(rule),
    };
  }
  return undefined;
}

/** The names that a file passes under, each once where that is cheap to see. */
function namesOf({ link, resolved, aliases }: PathFact): string[] {
  return link === resolved && aliases.length === 0 ? [resolved] : [link, resolved, ...aliases];
}

function touches(rule: Rule, path: PathFact, policy: Policy, list: "deny" | "ask"): boolean {
  if (rule.specifier === undefined) return true;
  const pattern = rulePattern(rule, policy, list);
  return namesOf(path).some((name) => pattern.matches(name, path.is_dir));
}

/** A rule that holds for something below a folder that a command goes through. */
export function refusedBelow(path: PathFact, policy: Policy): Finding | undefined {
  if (path.below === "unknown") {
    return {
      behavior: "ask",
      reason: `${path.given} holds too many files to look for those that a rule refuses`,
      source: "path",
    };
  }
  for (const below of path.below) {
    const hit = refusedPath({ ...path, given: below, link: below, resolved: below, aliases: [] }, policy);
    if (hit !== undefined) {
      return {
        ...hit,
        behavior: "ask",
        reason: `the command goes through ${path.given}, where ${hit.reason}`,
      };
    }
  }
  return undefined;
}

/** True when a deny or ask rule on paths names this path. */
export function namedByPathRule(
  path: string,
  is_dir: boolean,
  access: "read" | "write",
  policy: Policy,
): boolean {
  return (["deny", "ask"] as const).some((list) => {
    const { rules, mayMatch } = pathRules(policy, list, access);
    return mayMatch([path], is_dir) &&
      rules.some((rule) =>
        rule.specifier !== undefined && rulePattern(rule, policy, list).matches(path, is_dir)
      );
  });
}

/** True when a deny or ask rule on paths may name something below a folder. */
export function mayBeNamedBelow(path: PathFact, policy: Policy): boolean {
  return (["deny", "ask"] as const).some((list) =>
    pathRules(policy, list, path.access).rules.some((rule) =>
      rule.specifier !== undefined &&
      rulePattern(rule, policy, list).mayMatchBelow(path.resolved)
    )
  );
}

function allows(rule: Rule, path: PathFact, policy: Policy, sensitive: string | undefined): boolean {
  if (sensitive !== undefined && rule.specifier?.toLowerCase().includes(sensitive.toLowerCase()) !== true) {
    return false;
  }
  if (rule.specifier === undefined) return true;
  const pattern = rulePattern(rule, policy, "allow");
  return pattern.matches(path.link, path.is_dir) && pattern.matches(path.resolved, path.is_dir);
}

function sensitiveOf(path: PathFact, policy: Policy): string | undefined {
  return [path.resolved, path.link, ...path.aliases].map((name) => sensitiveName(name, policy)).find((name) =>
    name !== undefined
  );
}

function readByMode(path: PathFact, place: ReturnType<typeof placeOf>, { mode }: Policy): Finding {
  if (place === "inside") return byMode("allow", `mode ${mode} reads in the workspace`);
  if (mode === "yolo") return byMode("allow", "mode yolo reads everywhere");
  return {
    behavior: mode === "plan" ? "deny" : "ask",
    reason: `${path.given}${arrow(path)} is outside the workspace`,
    source: "path",
  };
}

function writeByMode(path: PathFact, place: ReturnType<typeof placeOf>, policy: Policy): Finding {
  const { mode } = policy;
  if (mode === "plan") return byMode("deny", `mode plan changes no file (${path.given})`);
  if (mode === "yolo") return byMode("allow", "mode yolo writes everywhere");
  if (place !== "inside") {
    return {
      behavior: "ask",
      reason: `${path.given}${arrow(path)} is outside the workspace`,
      source: "path",
    };
  }
  const sensitive = sensitiveOf(path, policy);
  if (sensitive !== undefined) {
    return {
      behavior: "ask",
      reason: `${path.given}${arrow(path)} touches ${sensitive}, which can run code or grant rights`,
      source: "path",
    };
  }
  if (mode === "ask") return byMode("ask", `mode ask asks before \`${path.given}\` is changed`);
  return byMode("allow", `mode ${mode} writes in the workspace`);
}

function byMode(behavior: Behavior, reason: string): Finding {
  return { behavior, reason, source: "mode" };
}

function arrow({ link, resolved }: PathFact): string {
  return link === resolved ? "" : ` (${resolved})`;
}
