import { runsClosed, runsOutside } from "./confinement.ts";
import { judgePath, refusedBelow, refusedPath } from "./decide_path.ts";
import type { Finding } from "./decide_path.ts";
import type { CallFacts, PathFact, ShellFacts, ShellUnit } from "./facts.ts";
import type { Policy } from "./policy.ts";
import { ruleLabel } from "./rule.ts";
import type { Rule } from "./rule.ts";
import { hasPathRules, hasSpecific, toolRules } from "./rule_index.ts";
import type { ToolRules } from "./rule_index.ts";
import { hasWildcard, matchCommand } from "./wildcard.ts";

/** All findings about a shell line: rules over every part, danger, paths, then the mode. */
export function judgeShell(
  call: CallFacts,
  shell: ShellFacts,
  policy: Policy,
  refused: Refused = new Map(),
): Finding[] {
  const findings: Finding[] = [];
  const deny = toolRules(policy.deny, call.tool);
  const ask = toolRules(policy.ask, call.tool);
  const allow = toolRules(policy.allow, call.tool);
  if (shell.danger !== undefined) {
    findings.push({
      behavior: "deny",
      reason: `${shell.danger}; no mode and no rule allows that, run it by hand if it is really meant`,
      source: "danger",
    });
  }
  if (shell.possible_danger !== undefined) {
    findings.push({ behavior: "ask", reason: shell.possible_danger, source: "danger" });
  }
  for (const unit of shell.units) {
    findings.push(...aboutPart(unit, refusals(unit, deny, ask, policy, refused)));
  }
  for (const problem of shell.problems) {
    findings.push({ behavior: "ask", reason: `the line cannot be judged: ${problem}`, source: "parse" });
  }
  const free = policy.mode === "yolo" && !hasSpecific(policy.deny);
  for (const hazard of free ? [] : shell.hazards) {
    findings.push({ behavior: "ask", reason: hazard, source: "parse" });
  }
  const closed = runsClosed(shell, policy);
  for (const unit of shell.units) {
    findings.push(...aboutPart(unit, permissions(unit, allow, policy, closed, shell, refused)));
  }
  if (policy.mode === "plan" && (shell.problems.length > 0 || shell.hazards.length > 0)) {
    findings.push({
      behavior: "deny",
      reason: `mode plan runs only commands that are known to read: ${shell.problems[0] ?? shell.hazards[0]}`,
      source: "parse",
    });
  }
  if (findings.length === 0) {
    findings.push({ behavior: "allow", reason: "the line runs nothing", source: "mode" });
  }
  return findings;
}

/** What rules say against the paths of a line, null for nothing, so that no path is looked up twice. */
export type Refused = Map<PathFact, Finding | null>;

/** Findings that say which part of the line they are about. */
function aboutPart({ text }: ShellUnit, findings: Finding[]): Finding[] {
  for (const finding of findings) finding.part = text;
  return findings;
}

function refusals(
  unit: ShellUnit,
  deny: ToolRules,
  ask: ToolRules,
  policy: Policy,
  refused: Refused,
): Finding[] {
  const findings: Finding[] = [];
  const test = (rule: Rule, certain: "deny" | "ask"): void => {
    const pattern = rule.specifier ?? "";
    const sure = unit.lines.some((line) => matchCommand(pattern, line) === "yes");
    const maybe = !sure && unit.wide_lines.some((line) => matchCommand(pattern, line) !== "no");
    if (!sure && !maybe) return;
    findings.push({
      behavior: sure ? certain : "ask",
      reason: sure
        ? `${ruleLabel(rule)} ${certain === "deny" ? "refuses" : "asks for"} \`${unit.text}\``
        : `\`${unit.text}\` has parts that are known only when it runs, and ${
          ruleLabel(rule)
        } may hold for it`,
      source: "rule",
      rule: ruleLabel(rule),
    });
  };
  const wide = unit.wide_lines.filter((line) => !unit.lines.includes(line));
  const lines = wide.length === 0 ? unit.lines : [...unit.lines, ...wide];
  for (const rule of deny.candidates(lines)) test(rule, "deny");
  for (const rule of ask.candidates(lines)) test(rule, "ask");
  for (const path of unit.paths) {
    const own = refusedPath(path, policy);
    refused.set(path, own ?? null);
    const hit = own ??
      (path.mention ? mentionedWrite(path, policy) : undefined) ?? refusedBelow(path, policy);
    if (hit !== undefined) findings.push(hit);
  }
  if (unit.unknown_paths.length > 0 && hasPathRules(policy.deny)) {
    findings.push({
      behavior: "ask",
      reason: `\`${unit.text}\` opens ${unit.unknown_paths[0]}, which a rule may refuse`,
      source: "path",
    });
  }
  return findings;
}

/** A word that names what may not be changed, at a program of which it is not known what it does with it. */
function mentionedWrite(path: ShellUnit["paths"][number], policy: Policy): Finding | undefined {
  const hit = refusedPath({ ...path, access: "write" }, policy);
  return hit === undefined ? undefined : { ...hit, behavior: "ask" };
}

/** What mode and allow rules say of one command. */
function permissions(
  unit: ShellUnit,
  allow: ToolRules,
  policy: Policy,
  closed: boolean,
  shell: ShellFacts,
  refused: Refused,
): Finding[] {
  const { mode } = policy;
  const judged = (path: PathFact) => judgePath(path, policy, { refused: refused.get(path) });
  const opened = unit.paths.filter((path) => !path.mention);
  const unknown = unit.unknown_paths[0];
  if (unit.writes_because === undefined) {
    if (unknown !== undefined && mode !== "yolo") {
      return [{
        behavior: mode === "plan" ? "deny" : "ask",
        reason: `\`${unit.text}\` opens ${unknown}, which is known only when it runs`,
        source: "path",
      }];
    }
    const paths = opened.map(judged).filter(({ behavior }) => behavior !== "allow");
    if (paths.length > 0) return paths;
    return [{ behavior: "allow", reason: `\`${unit.text}\` only reads`, source: "mode" }];
  }
  if (mode === "plan") {
    return [{
      behavior: "deny",
      reason: `mode plan runs only commands that read: ${unit.writes_because}`,
      source: "mode",
    }];
  }
  if (mode === "yolo") {
    const kept = opened.map(judged).filter(({ behavior }) => behavior === "deny");
    return kept.length > 0
      ? kept
      : [{ behavior: "allow", reason: "mode yolo runs everything", source: "mode" }];
  }
  const rule = ruleFor(unit, allow);
  const paths = opened.map(judged).filter(({ behavior }) => behavior !== "allow");
  if (unknown !== undefined && mode !== "auto") {
    paths.push({
      behavior: "ask",
      reason: `\`${unit.text}\` opens ${unknown}, which is known only when it runs`,
      source: "path",
    });
  }
  if (rule !== undefined) {
    const allowed: Finding = {
      behavior: "allow",
      reason: `${ruleLabel(rule)} allows \`${unit.text}\``,
      source: "rule",
      rule: ruleLabel(rule),
    };
    return [...paths, allowed];
  }
  if (closed) {
    return [...paths, {
      behavior: "allow",
      reason: "mode auto runs commands in the sandbox",
      source: "mode",
    }];
  }
  const why = unit.privileged
    ? "it becomes another user, which no sandbox can hold"
    : unit.network
    ? "it reaches the network"
    : mode !== "auto"
    ? unit.writes_because
    : policy.sandbox.available
    ? runsOutside(shell, policy)
      ? "it runs outside of the sandbox (sandbox.excluded_commands)"
      : "the line as a whole cannot run in the closed sandbox"
    : "this machine has no sandbox";
  return [...paths, {
    behavior: "ask",
    reason: `mode ${mode} asks before \`${unit.text}\`: ${why}`,
    source: "mode",
  }];
}

/** True where an allow rule holds for every part of the line, whatever the mode says. */
export function allRuled(call: CallFacts, shell: ShellFacts, policy: Policy): boolean {
  const allow = toolRules(policy.allow, call.tool);
  return shell.units.length > 0 && shell.units.every((unit) => ruleFor(unit, allow) !== undefined);
}

/** The allow rule that holds for a part. */
function ruleFor(unit: ShellUnit, allow: ToolRules): Rule | undefined {
  return allow.whole ?? allow.candidates(unit.allow_lines).find((candidate) => covers(candidate, unit));
}

function covers(rule: Rule, unit: ShellUnit): boolean {
  const pattern = rule.specifier ?? "";
  if (unit.exact_only && hasWildcard(pattern)) return false;
  return unit.allow_lines.some((line) => matchCommand(pattern, line) === "yes");
}
