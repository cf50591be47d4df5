import type { Behavior, Verdict } from "../types/mod.ts";
import { confinementOf, escalationOf, judgeConfinement, secretsText } from "./confinement.ts";
import { judgePath, refusedPath } from "./decide_path.ts";
import type { Finding } from "./decide_path.ts";
import { allRuled, judgeShell } from "./decide_shell.ts";
import type { Refused } from "./decide_shell.ts";
import type { CallFacts } from "./facts.ts";
import type { Policy } from "./policy.ts";
import { ruleLabel } from "./rule.ts";
import type { Rule } from "./rule.ts";
import { toolRules } from "./rule_index.ts";
import { askedPaths, suggestFolders, suggestRules } from "./suggest.ts";
import { judgeTaint, secretRead } from "./taint.ts";
import { matchesAgent, matchesParam, namesTool } from "./tool_match.ts";
import { isTypedUrl } from "./typed_urls.ts";
import { matchesDomain, urlHost } from "./url_match.ts";

const STRICTNESS: Readonly<Record<Behavior, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * The decision about one call: pure, from facts and policy alone. Deny before ask before allow; the strictest finding
 * about any part of the call is the verdict, and the first of these gives the reason.
 */
export function decide(facts: CallFacts, policy: Policy): Verdict {
  const reads = secretRead(facts, policy);
  const refused: Refused = new Map();
  const findings = [...judgeTaint(facts, policy, reads), ...allFindings(facts, policy, refused)];
  const worst = findings.reduce((best, finding) =>
    STRICTNESS[finding.behavior] > STRICTNESS[best.behavior] ? finding : best
  );
  const touched = [...facts.paths, ...(facts.shell?.units ?? []).flatMap((unit) => unit.paths)]
    .filter((path) => !path.mention);
  const confinement = confinementOf(facts, policy, worst);
  const secrets = worst.behavior === "ask" && confinement !== undefined ? confinement.secrets : [];
  // a rule on the command would not spare the question whether it may leave its sandbox
  const leaves = facts.shell !== undefined && escalationOf(facts.input) !== undefined;
  const suggesting = worst.behavior === "ask" && worst.source !== "danger" && !leaves &&
    policy.managed_rules_only !== true;
  const asked = suggesting ? askedPaths(facts, policy, refused) : [];
  const folders = suggesting ? suggestFolders(facts, policy, asked) : [];
  return {
    behavior: worst.behavior,
    reason: secrets.length === 0 ? worst.reason : `${worst.reason}; it ${secretsText(secrets, policy.home)}`,
    source: worst.source,
    ...(worst.rule === undefined ? {} : { rule: worst.rule }),
    mode: policy.mode,
    ...(worst.part === undefined ? {} : { part: worst.part }),
    paths: touched.map(({ given, resolved, access }) => ({ given, resolved, access })),
    ...(confinement === undefined ? {} : { confinement }),
    suggestions: suggesting ? suggestRules(facts, policy, asked) : [],
    ...(folders.length === 0 ? {} : { folder_suggestions: folders }),
    ...(reads === undefined ? {} : { reads_secret: reads }),
    ...(readsOnly(facts) ? { reads_only: true } : {}),
    ...(worst.behavior === "allow" && facts.shell !== undefined && allRuled(facts, facts.shell, policy)
      ? { ruled: true }
      : {}),
    ...(modeAlone(facts, findings) && secrets.length === 0 ? { mode_alone: true } : {}),
  };
}

/** True where nothing but the mode asks: no rule, no danger, no path, nothing that cannot be read, no escalation. */
function modeAlone({ input }: CallFacts, findings: readonly Finding[]): boolean {
  const asking = findings.filter(({ behavior }) => behavior !== "allow");
  const escalates = input["escalate"] !== undefined && input["escalate"] !== null;
  return asking.length > 0 && !escalates &&
    asking.every(({ behavior, source }) => behavior === "ask" && source === "mode");
}

/** True of a command line of which every part is known to change no file. */
function readsOnly({ shell }: CallFacts): boolean {
  return shell !== undefined && shell.problems.length === 0 && shell.hazards.length === 0 &&
    shell.units.every((unit) =>
      (unit.inert || unit.writes_because === undefined) && unit.paths.every(({ access }) => access === "read")
    );
}

function allFindings(facts: CallFacts, policy: Policy, refused: Refused): [Finding, ...Finding[]] {
  const { tool } = facts;
  const findings: Finding[] = [];
  for (const list of ["deny", "ask"] as const) {
    // what stands between brackets is matched against commands elsewhere
    const rules = facts.shell === undefined
      ? policy[list]
      : toolRules(policy[list], tool).general(facts.input);
    const rule = rules.find((candidate) => refusesCall(candidate, facts));
    if (rule !== undefined) {
      findings.push({
        behavior: list,
        reason: rule.problem === undefined
          ? `${ruleLabel(rule)} ${list === "deny" ? "refuses" : "asks for"} ${tool.name}`
          : `${ruleLabel(rule)} cannot be read as a rule and asks for all it could have meant`,
        source: "rule",
        rule: ruleLabel(rule),
      });
    }
  }
  if (facts.path_error !== undefined) {
    findings.push({ behavior: "deny", reason: facts.path_error, source: "path" });
  }
  if (facts.shell !== undefined) {
    findings.push(
      ...judgeConfinement(facts, facts.shell, policy),
      ...judgeShell(facts, facts.shell, policy, refused),
    );
  } else if (facts.paths.length > 0) {
    for (const path of facts.paths) {
      findings.push(judgePath(path, policy));
      // who may not read a file may not edit it either: an edit shows what stands there
      const hidden = path.access === "write" ? refusedPath({ ...path, access: "read" }, policy) : undefined;
      if (hidden?.behavior === "deny") findings.push(hidden);
    }
    // a path says nothing of what else is started or reached
    if (tool.effect === "run" || tool.effect === "net") findings.push(byEffect(facts, policy));
  } else findings.push(byEffect(facts, policy));
  const [first, ...rest] = findings;
  return first === undefined
    ? [{ behavior: "ask", reason: `${tool.name} cannot be judged`, source: "parse" }]
    : [first, ...rest];
}

/** Refusals that name the tool, its host, its sub-agent or a parameter; commands and paths are judged elsewhere. */
function refusesCall(rule: Rule, facts: CallFacts): boolean {
  if (!namesTool(rule, facts.tool)) return false;
  if (rule.specifier === undefined) return true;
  return matchesOther(rule.specifier, facts, true) || matchesParam(rule.specifier, facts.input);
}

function matchesOther(specifier: string, { tool, url, input }: CallFacts, widen: boolean): boolean {
  if (url !== undefined && matchesDomain(specifier, url, widen)) return true;
  return tool.subject.kind === "none" && !specifier.includes(":") && matchesAgent(specifier, input);
}

/** Calls without a path or a command. */
function byEffect(facts: CallFacts, policy: Policy): Finding {
  const { tool, url } = facts;
  const { mode } = policy;
  const told = (behavior: Behavior, reason: string): Finding => ({ behavior, reason, source: "mode" });
  if (tool.effect === "none" || tool.effect === "read") return told("allow", `${tool.name} changes nothing`);
  if (mode === "plan" && tool.effect !== "net") return told("deny", `mode plan does not run ${tool.name}`);
  if (mode === "yolo") return told("allow", `mode yolo runs ${tool.name}`);
  const readable = url === undefined || urlHost(url) !== undefined;
  const rule = policy.allow.find((candidate) =>
    namesTool(candidate, tool) &&
    (candidate.specifier === undefined || (readable && matchesOther(candidate.specifier, facts, false)))
  );
  if (rule !== undefined) {
    return {
      behavior: "allow",
      reason: `${ruleLabel(rule)} allows ${tool.name}`,
      source: "rule",
      rule: ruleLabel(rule),
    };
  }
  // a pack's request has a method, a body and headers of its own: no person has typed those
  if (
    url !== undefined && !Object.hasOwn(facts.input, "method") && isTypedUrl(url, policy.typed_urls ?? [])
  ) {
    return told("allow", `the user wrote the address ${url}`);
  }
  return told(
    "ask",
    tool.effect === "net"
      ? `mode ${mode} asks before ${tool.name} reaches ${
        url === undefined ? "the network" : urlHost(url) ?? url
      }`
      : `mode ${mode} asks before ${tool.name}`,
  );
}
