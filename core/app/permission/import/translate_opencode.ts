import type { ImportEntry, ImportOutcome, ListRule } from "../../../cli/mod.ts";
import type { JsonRuleFile } from "./json_rule_file.ts";
import { opencodeRules } from "./opencode_rules.ts";
import type { OpencodeRule } from "./opencode_rules.ts";
import { NO_SUBJECT, OPENCODE_SUBJECTS } from "./opencode_subjects.ts";
import type { OpencodeSubject, SubjectRules } from "./opencode_subjects.ts";
import { ruleFates } from "./ordered_rules.ts";
import { covers } from "./pattern_sets.ts";

/** What opencode refuses to read when its file says nothing else. */
const READ_DEFAULTS: readonly OpencodeRule[] = (["*.env", "*.env.*"] as const).map((pattern) => ({
  permission: "read",
  pattern,
  action: "deny",
  path: [],
  source: `opencode's default read ${JSON.stringify(pattern)}: deny`,
}));

/**
 * Translates opencode's rules, of which the last that matches wins, into ours, of which deny goes before ask and ask before
 * allow. What cannot be said becomes stricter, and the entry says so. Throws nothing for what the rules hold.
 */
export function translateOpencode(file: JsonRuleFile, home: string): ImportEntry[] {
  const { rules: own, others } = opencodeRules(file.value);
  const rules = [...READ_DEFAULTS, ...own];
  const results = new Map<OpencodeRule, SubjectRules[]>(rules.map((rule) => [rule, []]));
  for (const [name, subject] of Object.entries(OPENCODE_SUBJECTS)) {
    const ordered = rules.filter((rule) => covers(rule.permission, name));
    const sorted = wildcardsFirst(ordered);
    const same = sorted.every((rule, index) => rule === ordered[index]);
    const found = translateList(ordered, subject, home);
    if (!same) meetBoth(found, translateList(sorted, subject, home), name);
    for (const [rule, result] of found) results.get(rule)?.push(result);
  }
  for (const rule of own) {
    const known = results.get(rule) ?? [];
    if (known.length === 0) known.push(noSubject(rule));
    else if (rule.permission === "*") known.push(...otherTools(rule, own));
    if (rule.problem !== undefined) known.push({ rules: [], outcome: "stricter", note: rule.problem });
  }
  const entries = rules.map((rule) => entryOf(rule, results.get(rule) ?? [], file));
  return [
    ...entries,
    ...others.map(({ path, outcome, note }) => ({
      source: path.join("."),
      line: file.line(path),
      outcome,
      rules: [],
      note,
    })),
  ];
}

function translateList(
  rules: readonly OpencodeRule[],
  subject: OpencodeSubject,
  home: string,
): Map<OpencodeRule, SubjectRules> {
  const fates = ruleFates(rules, subject.mode_asks);
  return new Map(rules.map((rule, index): [OpencodeRule, SubjectRules] => {
    const fate = fates[index];
    const source = (at: number) => rules[at]?.source ?? "";
    if (fate?.kind === "dead") {
      return [rule, {
        rules: [],
        outcome: "same",
        note: `it never holds: "${source(fate.by)}" comes after it`,
      }];
    }
    if (fate?.kind === "mode") {
      const note =
        "modes plan and ask ask or refuse by themselves what no rule allows (commands known to read run); " +
        "the other modes decide as they do";
      return [rule, { rules: [], outcome: "mode", note }];
    }
    if (fate?.kind === "lost") {
      const verb = rules[fate.by]?.action === "deny" ? "refuses" : "asks";
      const note = `"${source(fate.by)}" ${verb} it here: deny goes before ask and ask before allow`;
      return [rule, { rules: [], outcome: "stricter", note }];
    }
    const result = subject.translate(rule, home);
    const over = fate?.over ?? [];
    if (over.length === 0 || result.rules.length === 0) return [rule, result];
    const names = over.map((at) => `"${source(at)}"`).join(", ");
    const note = `it wins here over ${names}`;
    return [rule, {
      ...result,
      outcome: "stricter",
      note: result.note === undefined ? note : `${result.note}; ${note}`,
    }];
  }));
}

/** The same rules as newer versions try them: within one object those on several tools before those on one. */
function wildcardsFirst(rules: readonly OpencodeRule[]): OpencodeRule[] {
  const section = (rule: OpencodeRule) => {
    const at = rule.path.indexOf("permission");
    return at === -1 ? undefined : rule.path.slice(0, at + 1).join("\0");
  };
  const sorted: OpencodeRule[] = [];
  for (let start = 0; start < rules.length;) {
    const first = rules[start];
    let end = start + 1;
    const place = first && section(first);
    while (place !== undefined && end < rules.length && section(rules[end] as OpencodeRule) === place) end++;
    const part = rules.slice(start, end);
    const wide = (rule: OpencodeRule) => /[*?]/.test(rule.permission);
    sorted.push(...part.filter(wide), ...part.filter((rule) => !wide(rule)));
    start = end;
  }
  return sorted;
}

/** Versions disagree about the order: what any of them refuses or asks for stays, what all of them allow is allowed. */
function meetBoth(
  found: Map<OpencodeRule, SubjectRules>,
  other: ReadonlyMap<OpencodeRule, SubjectRules>,
  name: string,
): void {
  const allowed = (of: ReadonlyMap<OpencodeRule, SubjectRules>) =>
    new Set(
      [...of.values()].flatMap(({ rules }) => rules.filter(({ list }) => list === "allow").map(textOf)),
    );
  const [here, there] = [allowed(found), allowed(other)];
  for (const [rule, result] of found) {
    const added = (other.get(rule)?.rules ?? []).filter(({ list }) => list !== "allow");
    const rules = unique([...result.rules, ...added]).filter((each) =>
      each.list !== "allow" || (here.has(textOf(each)) && there.has(textOf(each)))
    );
    found.set(rule, {
      ...result,
      rules,
      outcome: "stricter",
      note: `versions of opencode disagree about the order of rules on ${name}: the stricter order is taken`,
    });
  }
}

/** A key that names no kind of call known here. */
function noSubject({ permission, action }: OpencodeRule): SubjectRules {
  const why = NO_SUBJECT[permission];
  if (why !== undefined) return { rules: [], outcome: "not taken", note: why };
  const note = `there is no tool ${JSON.stringify(permission)} here`;
  // a tool of an MCP server is called server_tool there and mcp__server__tool here
  const tool = `mcp__${permission.replace(/[_?]/g, "*")}`;
  if (action === "allow" || !/^[\w.*-]+$/.test(tool)) {
    return {
      rules: [],
      outcome: "unknown",
      note: `${note}; one of an MCP server is written mcp__server__tool`,
    };
  }
  return {
    rules: [{ list: action, rule: tool }],
    outcome: "unknown",
    note: `${note}: taken as one of an MCP server`,
  };
}

/** What a rule on every tool says of those of MCP servers. */
function otherTools(rule: OpencodeRule, rules: readonly OpencodeRule[]): SubjectRules[] {
  const same = rules.filter(({ permission }) => permission === "*");
  const later = same.slice(same.indexOf(rule) + 1).some(({ pattern }) => covers(pattern, rule.pattern));
  if (rule.action !== "deny" || later) return [];
  return [{ rules: [{ list: "deny", rule: "mcp__*" }], outcome: "same" }];
}

const WORST: readonly ImportOutcome[] = ["looser", "stricter", "not taken", "unknown", "mode", "same"];

function entryOf(rule: OpencodeRule, results: readonly SubjectRules[], file: JsonRuleFile): ImportEntry {
  const notes = [...new Set(results.flatMap(({ note }) => note === undefined ? [] : [note]))];
  const outcome = WORST.find((each) => results.some((result) => result.outcome === each)) ?? "same";
  return {
    source: rule.source,
    ...(rule.path.length === 0 ? {} : { line: file.line(rule.path) }),
    outcome,
    rules: unique(results.flatMap(({ rules }) => rules)),
    ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
  };
}

function unique(rules: readonly ListRule[]): ListRule[] {
  return [...new Map(rules.map((rule) => [textOf(rule), rule])).values()];
}

function textOf({ list, rule }: ListRule): string {
  return `${list} ${rule}`;
}
