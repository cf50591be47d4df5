import { isInside } from "../files/mod.ts";

/**
 * What may be touched: folders and files with all below them (absolute, links resolved), hosts (`name`, `name:port`,
 * `*.name`, `*.name:port`), programs, names of variables, kinds of system information. `"all"` is everything of that kind, an
 * empty list nothing. Plain data, and of the shape of a grant.
 */
export interface Capabilities {
  read: Capability;
  write: Capability;
  net: Capability;
  run: Capability;
  env: Capability;
  sys: Capability;
}
export type Capability = readonly string[] | "all";

/** The same where nothing is open-ended: lists alone. */
export type NarrowCapabilities = { [K in keyof Capabilities]: string[] };

/** Everything: what a ceiling begins with. */
export const ALL_CAPABILITIES: Readonly<Capabilities> = {
  read: "all",
  write: "all",
  net: "all",
  run: "all",
  env: "all",
  sys: "all",
};

/**
 * What both allow: the only way in which rights are joined, so that no step can add one. Commutative, associative and
 * idempotent, never more than either side; the lists come sorted and without what another entry covers.
 */
export function intersect(a: NarrowCapabilities, b: Capabilities): NarrowCapabilities;
export function intersect(a: Capabilities, b: Capabilities): Capabilities;
export function intersect(a: Capabilities, b: Capabilities): Capabilities {
  return {
    read: meet(a.read, b.read, meetPath),
    write: meet(a.write, b.write, meetPath),
    net: meet(a.net, b.net, meetHost),
    run: meet(a.run, b.run, meetName),
    env: meet(a.env, b.env, meetName),
    sys: meet(a.sys, b.sys, meetName),
  };
}

/** True when everything that `inner` allows is allowed by `outer` too. */
export function isWithin(inner: Capabilities, outer: Capabilities): boolean {
  const same = (a: Capability, b: Capability) =>
    a === "all" || b === "all" ? a === b : a.length === b.length && a.every((entry, at) => entry === b[at]);
  const both = intersect(inner, outer);
  const plain = intersect(inner, ALL_CAPABILITIES);
  return (Object.keys(plain) as (keyof Capabilities)[]).every((kind) => same(both[kind], plain[kind]));
}

type Meet = (a: string, b: string) => string | undefined;

function meet(a: Capability, b: Capability, one: Meet): Capability {
  if (a === "all") return b === "all" ? "all" : least(b, one);
  if (b === "all") return least(a, one);
  return least(a.flatMap((left) => b.flatMap((right) => one(left, right) ?? [])), one);
}

/** The list without entries that another one covers, sorted. */
function least(list: readonly string[], one: Meet): string[] {
  const own = [...new Set(list.flatMap((entry) => one(entry, entry) ?? []))];
  return own.filter((entry) => !own.some((other) => other !== entry && one(entry, other) === entry)).sort();
}

function meetName(a: string, b: string): string | undefined {
  return a === b ? a : undefined;
}

/** The deeper of two places of which one lies in the other. */
function meetPath(a: string, b: string): string | undefined {
  if (isInside(a, b)) return b;
  return isInside(b, a) ? a : undefined;
}

/** Of two hosts or patterns the narrower name with the port that either names; wildcards are nested or apart. */
function meetHost(a: string, b: string): string | undefined {
  const left = readHost(a);
  const right = readHost(b);
  const name = covers(left.name, right.name)
    ? right.name
    : covers(right.name, left.name)
    ? left.name
    : undefined;
  if (name === undefined) return undefined;
  if (left.port !== undefined && right.port !== undefined && left.port !== right.port) return undefined;
  const port = left.port ?? right.port;
  return port === undefined ? name : `${name}:${port}`;
}

function readHost(text: string): { name: string; port: string | undefined } {
  const [, name = text, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
  return { name: name.toLowerCase().replace(/\.$/, ""), port };
}

function covers(pattern: string, name: string): boolean {
  if (pattern === name) return true;
  // `*.a.b` is below `*.b`, and `*.b` itself is no host below it
  return pattern.startsWith("*.") && name.endsWith(pattern.slice(1)) && name.length > pattern.length - 1 &&
    name !== pattern;
}
