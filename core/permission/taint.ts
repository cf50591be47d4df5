import { isInside } from "../files/mod.ts";
import { escalationOf } from "./confinement.ts";
import type { Finding } from "./decide_path.ts";
import type { CallFacts, PathFact } from "./facts.ts";
import type { Policy } from "./policy.ts";
import { hasSecretName, secretPlaces } from "./secret_places.ts";

const SYSTEM = ["/etc/shadow", "/etc/gshadow", "/etc/ssl/private", "/etc/ssh"];

/**
 * What a call reads that is secret, as it names it: a place of a person's secrets or of the system's, a file that has the name
 * of one, Lumina's own files. A folder counts when such a place lies in it. What a program reads as its own credentials
 * (`git push` and the keys of ssh) is not shown to the model and does not count.
 */
export function secretRead({ paths, shell }: CallFacts, policy: Policy): string | undefined {
  const places = knownPlaces(policy);
  const secret = (path: PathFact) => path.access === "read" && isSecret(path, places, policy);
  let found = paths.find(secret);
  for (const unit of shell?.units ?? []) found ??= unit.inert ? undefined : unit.paths.find(secret);
  return found?.given;
}

/**
 * Egress after a secret: a call that reaches the network asks once this run has read a secret, or reads one itself, whatever
 * a rule or a hook allows; a person alone says yes. Mode `yolo` stays what it is. First among equals, since it tells more.
 */
export function judgeTaint(facts: CallFacts, policy: Policy, reads: string | undefined): Finding[] {
  const read = reads ?? policy.secret_read;
  if (read === undefined || policy.mode === "yolo" || !reachesOut(facts)) return [];
  const since = reads === undefined ? "this run has read" : "it reads";
  const escalation = facts.shell === undefined ? undefined : escalationOf(facts.input);
  const what = escalation === "outside"
    ? "the command is to run outside of the sandbox (escalate: outside)"
    : `${facts.tool.name} reaches the network${escalation === undefined ? "" : " (escalate: network)"}`;
  return [{
    behavior: "ask",
    reason: `${what}, and ${since} ${read}, which holds secrets`,
    source: "danger",
  }];
}

function reachesOut({ tool, shell, url, input }: CallFacts): boolean {
  if (tool.effect === "net" || url !== undefined || tool.capabilities?.includes("net") === true) return true;
  return shell !== undefined &&
    (escalationOf(input) !== undefined || shell.units.some((unit) => unit.network));
}

function isSecret(path: PathFact, known: Known, policy: Policy): boolean {
  const { link, resolved, aliases } = path;
  const names = link === resolved && aliases.length === 0 ? [resolved] : [resolved, link, ...aliases];
  return names.some((name) =>
    holdsSecret(name, path, known, policy) && !policy.read_dirs.some((dir) => isInside(dir, name))
  );
}

function holdsSecret(name: string, path: PathFact, known: Known, policy: Policy): boolean {
  if (!path.is_dir && hasSecretName(name)) return true;
  if (inSecretPlace(name, known)) return true;
  // the workspace itself may hold such a place; going through it is everyday work
  return path.is_dir && !path.mention && name !== policy.workspace && known.above.has(name);
}

/** True at and below a place of secrets. Nearly every path is told apart by one name: it is asked of each path of each call. */
function inSecretPlace(name: string, { below, places, first_names, roots, elsewhere }: Known): boolean {
  if (roots.has(rootOf(name)) && elsewhere.some((place) => isInside(place, name))) return true;
  if (!name.startsWith(below)) return false;
  const end = name.indexOf("/", below.length);
  if (!first_names.has(name.slice(below.length, end === -1 ? undefined : end))) return false;
  for (let at = name; at.length > below.length; at = at.slice(0, at.lastIndexOf("/"))) {
    if (places.has(at)) return true;
  }
  return false;
}

/** The first name of an absolute path, with the slash before it. */
function rootOf(path: string): string {
  const end = path.indexOf("/", 1);
  return end === -1 ? path : path.slice(0, end);
}

interface Known {
  home: string;
  own: readonly string[];
  places: ReadonlySet<string>;
  /** The home folder with a slash, what the places below it begin with there, and the places that do not lie below it. */
  below: string;
  first_names: ReadonlySet<string>;
  elsewhere: readonly string[];
  /** What those others begin with. */
  roots: ReadonlySet<string>;
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
  const below = home.endsWith("/") ? home : `${home}/`;
  const at_home = [...places].filter((place) => place.startsWith(below));
  const elsewhere = [...places].filter((place) => !place.startsWith(below));
  const made = {
    home,
    own: protected_paths,
    places,
    below,
    first_names: new Set(at_home.map((place) => place.slice(below.length).split("/")[0] ?? "")),
    elsewhere,
    roots: new Set(elsewhere.map(rootOf)),
    above,
  };
  known.set(sandbox.secrets, made);
  return made;
}

const known = new WeakMap<readonly string[], Known>();
