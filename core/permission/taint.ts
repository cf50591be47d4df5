import { isInside } from "../files/mod.ts";
import { escalationOf } from "./confinement.ts";
import type { Finding } from "./decide_path.ts";
import type { CallFacts, PathFact } from "./facts.ts";
import type { Policy } from "./policy.ts";
import { secretPlaces } from "./secret_places.ts";

/** Names of files that hold keys or passwords wherever they lie. */
const SECRET_NAME =
  /^(\.env(\.(?!(example|sample|template|dist|defaults?)$).+)?|\.netrc|_netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.htpasswd|id_(rsa|dsa|ecdsa|ed25519)(_sk)?|.+\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)|credentials(\.(json|csv|toml))?|service[-_]account.*\.json|secrets?\.(json|ya?ml|toml))$/i;
const SYSTEM = ["/etc/shadow", "/etc/gshadow", "/etc/ssl/private", "/etc/ssh"];

/**
 * What a call reads that is secret, as it names it: a place of a person's secrets or of the system's, a file that has the name
 * of one, Lumina's own files. A folder counts when such a place lies in it. What a program reads as its own credentials
 * (`git push` and the keys of ssh) is not shown to the model and does not count.
 */
export function secretRead({ paths, shell }: CallFacts, policy: Policy): string | undefined {
  const all = [...paths, ...(shell?.units ?? []).flatMap((unit) => unit.inert ? [] : unit.paths)];
  if (all.length === 0) return undefined;
  const places = knownPlaces(policy);
  return all.find((path) => path.access === "read" && isSecret(path, places, policy))?.given;
}

/**
 * Egress after a secret: a call that reaches the network asks once this run has read a secret, or reads one itself, whatever
 * a rule or a hook allows; a person alone says yes. Mode `yolo` stays what it is. First among equals, since it tells more.
 */
export function judgeTaint(facts: CallFacts, policy: Policy, reads: string | undefined): Finding[] {
  const read = reads ?? policy.secret_read;
  if (read === undefined || policy.mode === "yolo" || !reachesOut(facts)) return [];
  const since = reads === undefined ? "this run has read" : "it reads";
  return [{
    behavior: "ask",
    reason: `${facts.tool.name} reaches the network, and ${since} ${read}, which holds secrets`,
    source: "danger",
  }];
}

function reachesOut({ tool, shell, url, input }: CallFacts): boolean {
  if (tool.effect === "net" || url !== undefined || tool.capabilities?.includes("net") === true) return true;
  return shell !== undefined &&
    (escalationOf(input) !== undefined || shell.units.some((unit) => unit.network));
}

function isSecret(path: PathFact, { places, above }: Known, policy: Policy): boolean {
  return [path.resolved, path.link, ...path.aliases].some((name) => {
    if (policy.read_dirs.some((dir) => isInside(dir, name))) return false;
    if (!path.is_dir && SECRET_NAME.test(name.slice(name.lastIndexOf("/") + 1))) return true;
    for (let at = name; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) if (places.has(at)) return true;
    // the workspace itself may hold such a place; going through it is everyday work
    if (!path.is_dir || path.mention || name === policy.workspace) return false;
    return above.has(name);
  });
}

interface Known {
  home: string;
  own: readonly string[];
  places: ReadonlySet<string>;
  /** The places and all folders that they lie in. */
  above: ReadonlySet<string>;
}

/** All places of secrets; made once for each list that a policy brings. */
function knownPlaces({ home, protected_paths, sandbox, workspace }: Policy): Known {
  const found = known.get(sandbox.secrets);
  if (found?.home === home && found.own === protected_paths) return found;
  const os = Deno.build.os === "linux" || Deno.build.os === "darwin" ? Deno.build.os : "other";
  const places = new Set([
    ...secretPlaces({ home, os }),
    ...sandbox.secrets,
    ...SYSTEM,
    ...protected_paths.filter((path) => !isInside(path, workspace)),
  ]);
  const above = new Set(["/"]);
  for (const place of places) {
    for (let at = place; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) above.add(at);
  }
  const made = { home, own: protected_paths, places, above };
  known.set(sandbox.secrets, made);
  return made;
}

const known = new WeakMap<readonly string[], Known>();
