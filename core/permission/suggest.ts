import { isInside } from "../files/mod.ts";
import { judgePath } from "./decide_path.ts";
import type { CallFacts, PathFact } from "./facts.ts";
import type { Policy } from "./policy.ts";
import { sensitiveName } from "./sensitive_paths.ts";
import { urlHost } from "./url_match.ts";
import { HOLE, INNER_SPACE } from "./wildcard.ts";

/** Programs that run whatever their words say: a rule on their beginning would allow everything. */
const OPEN_ENDED = new Set(
  ("sh bash zsh dash ksh fish csh tcsh env sudo doas su pkexec exec eval nohup nice timeout time stdbuf command builtin " +
    "xargs find parallel watch setsid ionice flock ssh docker podman kubectl npx bunx uvx pipx python python3 node deno " +
    "perl ruby php lua awk gawk sed busybox strace script source . trap osascript powershell pwsh cmd rm dd mkfs chmod " +
    "chown curl wget").split(" "),
);

/**
 * Rules that "always allow" would write: `Bash(git commit *)` for a program and its subcommand, the file itself for an
 * edit, the host for a fetch. None where a rule could not cover the call or would cover far more.
 */
export function suggestRules(facts: CallFacts, policy: Policy): string[] {
  const { tool, shell, url } = facts;
  if (shell !== undefined) {
    if (shell.problems.length > 0 || shell.hazards.length > 0) return [];
    if (shell.danger !== undefined || shell.possible_danger !== undefined) return [];
    const rules = shell.units.filter((unit) => unit.writes_because !== undefined && !unit.inert).map((unit) =>
      unit.exact_only ? undefined : prefixRule(unit.allow_lines[0], tool.name)
    );
    // a file that the command writes needs a rule of its own where the mode asks for writing
    for (const path of shell.units.flatMap((unit) => unit.paths)) {
      if (!path.mention && judgePath(path, policy).behavior === "ask") rules.push(pathRule(path, policy));
    }
    return rules.includes(undefined) ? [] : [...new Set(rules.filter((rule) => rule !== undefined))];
  }
  // a rule on the path would not spare the question about what else the call does
  if (facts.paths.length > 0 && (tool.effect === "run" || tool.effect === "net")) return [];
  if (facts.paths.length > 0) return facts.paths.flatMap((path) => pathRule(path, policy) ?? []);
  if (url !== undefined) {
    const host = urlHost(url);
    return host === undefined ? [] : [`${tool.name}(domain:${host})`];
  }
  return [tool.name];
}

/** The rule for exactly this path; undefined where none could be written or none would hold. */
function pathRule(path: PathFact, policy: Policy): string | undefined {
  if (path.access === "write" && sensitiveName(path.resolved, policy) !== undefined) return undefined;
  if (path.link !== path.resolved || /[\\*?[\]!#]/.test(path.resolved)) return undefined;
  const family = path.access === "read" ? "Read" : "Edit";
  return isInside(policy.workspace, path.resolved)
    ? `${family}(.${path.resolved.slice(policy.workspace.length)})`
    : `${family}(/${path.resolved})`;
}

function prefixRule(line: string | undefined, tool: string): string | undefined {
  if (line === undefined) return undefined;
  const [program = "", sub] = line.split(" ");
  if (OPEN_ENDED.has(program.slice(program.lastIndexOf("/") + 1))) return undefined;
  if (!/^[\w./+-]+$/.test(program)) return undefined;
  if (sub !== undefined && /^[a-z][\w:.-]*$/i.test(sub)) return `${tool}(${program} ${sub} *)`;
  // one word alone is no prefix, but the very line can be allowed
  const plain = !line.includes(HOLE) && !line.includes(INNER_SPACE) && !/[*()'"\n]/.test(line);
  return plain ? `${tool}(${line})` : undefined;
}
