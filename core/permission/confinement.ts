import { isInside } from "../files/mod.ts";
import type { Confinement, ConfinementLevel, JsonObject } from "../types/mod.ts";
import { refusedPath } from "./decide_path.ts";
import type { Finding } from "./decide_path.ts";
import type { CallFacts, ShellFacts, ShellUnit } from "./facts.ts";
import { LUMINA_FOLDERS, ownCredentials, sharesCredentials, usesProxy } from "./own_credentials.ts";
import { rulePattern } from "./policy.ts";
import type { Policy } from "./policy.ts";
import { secretPlaceOf } from "./secret_places.ts";
import { matchesParam, namesTool } from "./tool_match.ts";
import { hasWildcard, matchCommand } from "./wildcard.ts";

/** What a call of Bash asks for with `escalate`. */
export const ESCALATIONS = ["network", "outside"] as const;
export type Escalation = (typeof ESCALATIONS)[number];

/** What a call asks for beyond its sandbox; `outside` for anything that is no known word. */
export function escalationOf(input: JsonObject): Escalation | undefined {
  const { escalate } = input;
  if (escalate === undefined || escalate === null) return undefined;
  return escalate === "network" ? "network" : "outside";
}

/** What the operating system must enforce around the command of a call; undefined for a call without one. */
export function confinementOf(facts: CallFacts, policy: Policy, worst: Finding): Confinement | undefined {
  const { shell } = facts;
  if (shell === undefined) return undefined;
  const level = confinementLevel(facts, shell, policy);
  if (level === "none") return { level, network: true, secrets: [] };
  const network = level === "guarded" || escalationOf(facts.input) === "network";
  return { level, network, secrets: grantedSecrets(facts, shell, policy, level, worst) };
}

/** How far a line is held back once it runs. */
function confinementLevel(facts: CallFacts, shell: ShellFacts, policy: Policy): ConfinementLevel {
  if (!policy.sandbox.available || escalationOf(facts.input) === "outside") return "none";
  if (runsOutside(shell, policy)) return "none";
  // in plan nothing is written at all, and the sandbox holds that too
  return policy.mode === "plan" || runsClosed(shell, policy) ? "closed" : "guarded";
}

/** True of a line that no sandbox is put around: it holds a program that gains rights, or the settings exclude all of it. */
export function runsOutside({ units, problems, hazards }: ShellFacts, { sandbox }: Policy): boolean {
  if (units.some((unit) => unit.privileged)) return true;
  if (sandbox.excluded.length === 0 || problems.length > 0 || hazards.length > 0) return false;
  const excluded = (unit: ShellUnit) =>
    sandbox.excluded.some((pattern) =>
      !(unit.exact_only && hasWildcard(pattern)) &&
      unit.allow_lines.some((line) => matchCommand(pattern, line) === "yes")
    );
  return units.length > 0 && units.every((unit) => unit.inert || excluded(unit)) && units.some(excluded);
}

/** True of a line that mode `auto` runs without network, and so without asking. */
export function runsClosed(shell: ShellFacts, policy: Policy): boolean {
  return policy.mode === "auto" && policy.sandbox.available && !runsOutside(shell, policy) &&
    !shell.units.some((unit) => reachesOut(unit, policy));
}

/** True of a command that the closed sandbox would only make fail. */
function reachesOut(unit: ShellUnit, { sandbox }: Policy): boolean {
  return unit.network && !(sandbox.some_domains && usesProxy(unit.allow_lines));
}

/** What is said of a call because of the sandbox alone: an escalation asks, and a wish for a sandbox that is not there refuses. */
export function judgeConfinement(facts: CallFacts, shell: ShellFacts, policy: Policy): Finding[] {
  const { sandbox, mode } = policy;
  const escalation = escalationOf(facts.input);
  const findings: Finding[] = [];
  const told = (behavior: Finding["behavior"], reason: string) =>
    findings.push({ behavior, reason, source: "mode" });
  if (escalation !== undefined) {
    const what = escalation === "network" ? "with network" : "outside of the sandbox";
    if (!sandbox.allow_escalation) {
      told(
        "deny",
        "sandbox.allow_escalation is false: no command leaves its sandbox; run it without escalate",
      );
    } else if (mode === "plan") told("deny", `mode plan runs no command ${what}`);
    else if (mode !== "yolo" && !escalationRule(facts, policy)) {
      told("ask", `the command is to run ${what} (escalate: ${escalation})`);
    }
  }
  if (escalation === undefined && runsClosed(shell, policy) && seesWorkspace(shell, policy, true)) {
    told("ask", "git would take what the sandbox hides in the workspace for changed or deleted");
  }
  const wanted = escalation !== "outside" && !runsOutside(shell, policy);
  if (sandbox.fail_if_unavailable && !sandbox.available && wanted) {
    const why = sandbox.reason === undefined ? "" : ` (${sandbox.reason})`;
    told(
      "deny",
      `this machine has no sandbox${why}, and sandbox.fail_if_unavailable refuses commands without one`,
    );
  }
  return findings;
}

/** `Bash(escalate:network)` of a person; what a repository allows never counts. */
function escalationRule({ tool, input }: CallFacts, policy: Policy): boolean {
  return policy.allow.some((rule) =>
    rule.source.origin !== "repo" && rule.specifier?.startsWith("escalate:") === true &&
    namesTool(rule, tool) && matchesParam(rule.specifier, input)
  );
}

/** The secret places that the line may read, see {@link ownCredentials}, and those that it names itself. */
function grantedSecrets(
  facts: CallFacts,
  shell: ShellFacts,
  policy: Policy,
  level: ConfinementLevel,
  worst: Finding,
): string[] {
  const { sandbox } = policy;
  const { secrets, allow_read } = sandbox;
  const granted = new Set(allow_read.filter((path) => secretPlaceOf(path, secrets) !== undefined));
  for (const place of secrets) {
    if (allow_read.some((path) => isInside(path, place)) || readableByRule(place, policy)) granted.add(place);
  }
  for (const { resolved, link, mention } of shell.units.flatMap((unit) => unit.paths)) {
    if (!mention && secretPlaceOf(resolved, secrets) !== undefined) granted.add(resolved);
    // the place is a link to a folder elsewhere
    else if (!mention && secretPlaceOf(link, secrets) !== undefined) granted.add(resolved);
  }
  // in a closed sandbox nobody was asked, unless the line is one that always asks
  const agreed = level === "guarded" || worst.behavior === "ask" || escalationOf(facts.input) !== undefined;
  if (agreed && seesWorkspace(shell, policy)) sandbox.in_workspace.forEach((path) => granted.add(path));
  if (agreed && shell.problems.length === 0 && shell.hazards.length === 0) {
    for (const name of lineCredentials(shell)) {
      if (name === LUMINA_FOLDERS) policy.protected_paths.forEach((path) => granted.add(path));
      const place = `${policy.home}/${name}`;
      if (secrets.includes(place)) granted.add(place);
    }
  }
  return outermost([...granted]);
}

/**
 * True of a line whose git looks at files of the workspace that the sandbox hides; with `writing` only where it may keep what it sees.
 */
function seesWorkspace({ units }: ShellFacts, { sandbox }: Policy, writing = false): boolean {
  return sandbox.in_workspace.length > 0 &&
    units.some((unit) =>
      !unit.inert && (!writing || unit.writes_because !== undefined) &&
      unit.allow_lines.some((line) => line === "git" || line.startsWith("git "))
    );
}

/** The own credentials of the programs of a line; none where one of them could hand them on. */
function lineCredentials({ units }: ShellFacts): string[] {
  const places: string[] = [];
  for (const unit of units) {
    const own = unit.exact_only ? undefined : ownCredentials(unit.allow_lines);
    if (own !== undefined) places.push(...own);
    else if (!(unit.inert || unit.writes_because === undefined || sharesCredentials(unit.allow_lines))) {
      return [];
    }
  }
  return places;
}

/** True when an allow rule on paths names a secret place or what lies in it, and no rule refuses that. */
function readableByRule(place: string, policy: Policy): boolean {
  const rules = policy.allow.filter((rule) => rule.tool === "Read" && rule.specifier !== undefined);
  return [place, `${place}/any`].some((path) => {
    const rule = rules.find((candidate) => rulePattern(candidate, policy, "allow").matches(path, false));
    if (rule === undefined) return false;
    const fact = { given: path, link: path, resolved: path, access: "read", is_dir: false } as const;
    return refusedPath({ ...fact, aliases: [], below: [], mention: false }, policy) === undefined;
  });
}

/** Without what lies in another of them. */
function outermost(paths: readonly string[]): string[] {
  return paths.filter((path) => !paths.some((other) => other !== path && isInside(other, path))).sort();
}

/** The same in one line for people. */
export function confinementText(confinement: Confinement, home?: string): string {
  const { level, network, secrets } = confinement;
  const open = secrets.length === 0 ? "" : `; ${secretsText(secrets, home)}`;
  if (level === "none") return "runs outside of the sandbox";
  if (level === "guarded") return `runs in the sandbox, which hides secrets${open}`;
  return `runs in the sandbox, ${network ? "with" : "without"} network${open}`;
}

/** `reads ~/.ssh and ~/.netrc`. */
export function secretsText(secrets: readonly string[], home?: string): string {
  const short = (path: string) =>
    home !== undefined && home !== "/" && isInside(home, path) ? `~${path.slice(home.length)}` : path;
  return `reads ${secrets.map(short).join(", ")}`;
}
