import { isInside, resolvePath } from "../files/mod.ts";
import { rulePattern } from "./policy.ts";
import type { Policy } from "./policy.ts";

/** Entries looked at for the other name of a file that has several. */
const MAX_ENTRIES = 5000;

/** A place of the disk that a rule names or that is Lumina's own. */
interface ClosedPlace {
  /** As the rule has it. */
  path: string;
  /** With every link followed. */
  real: string;
}

/** One mounted file system. */
export interface Mount {
  /** Where it stands. */
  point: string;
  /** Which file system it is. */
  device: string;
  /** Which folder of that file system stands there. */
  root: string;
}

/**
 * The other absolute paths of what stands at `resolved`, as far as a refusing rule or Lumina's own folder is named by one: a
 * rule whose own path leads through a link, a folder that is mounted a second time, a file with several names (hard links)
 * of which one lies in a fixed place of a rule. What `stat` says of the path is handed in.
 */
export function pathAliases(resolved: string, stat: Deno.FileInfo | undefined, policy: Policy): string[] {
  const rules = known(policy);
  const { places, linked, mounts } = rules;
  const names = [resolved];
  if (mounts.length > 0) {
    for (const { real } of places) {
      const below = mountedTwice(resolved, real, mounts);
      if (below !== undefined) names.push(real + below);
    }
  }
  if (stat !== undefined && stat.isFile && (stat.nlink ?? 1) > 1) {
    rules.files ??= namesByFile(places);
    names.push(...rules.files.get(fileKey(stat) ?? "") ?? []);
  }
  for (const name of [...names]) {
    for (const { path, real } of linked) if (isInside(real, name)) names.push(path + name.slice(real.length));
  }
  return names.slice(1);
}

/**
 * Where `path` lies below `place`, as text behind `place`, when both are the same folder of one file system under two mounts;
 * undefined when not. Pure.
 */
export function mountedTwice(path: string, place: string, mounts: readonly Mount[]): string | undefined {
  const one = onDisk(path, mounts);
  const other = onDisk(place, mounts);
  if (one === undefined || other === undefined || one.device !== other.device) return undefined;
  if (isInside(place, path) || !isInside(other.path, one.path)) return undefined;
  const rest = one.path.slice(other.path === "/" ? 0 : other.path.length);
  return rest === "" || rest.startsWith("/") ? rest : `/${rest}`;
}

/** Reads Linux's table of mounts (`proc_pid_mountinfo(5)`); a mount that stands above another in the same place wins. */
export function parseMounts(text: string): Mount[] {
  const mounts = new Map<string, Mount>();
  for (const line of text.split("\n")) {
    const [, , device, root, point] = line.split(" ");
    if (device === undefined || root === undefined || point === undefined) continue;
    const plain = (name: string) =>
      name.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8)));
    mounts.set(plain(point), { point: plain(point), device, root: plain(root) });
  }
  return [...mounts.values()].sort((a, b) => b.point.length - a.point.length);
}

function onDisk(path: string, mounts: readonly Mount[]): { device: string; path: string } | undefined {
  const mount = mounts.find(({ point }) => isInside(point, path));
  if (mount === undefined) return undefined;
  const rest = path.slice(mount.point === "/" ? 0 : mount.point.length);
  return {
    device: mount.device,
    path: mount.root === "/" ? rest || "/" : mount.root + (rest === "/" ? "" : rest),
  };
}

interface Known {
  places: ClosedPlace[];
  /** Those whose rule names them by a way through a link. */
  linked: ClosedPlace[];
  /** Empty where no file system is mounted more than once. */
  mounts: Mount[];
  /** Paths by the number of their file. */
  files?: Map<string, string[]>;
}

/** Looked up once for each list of rules, that is once a turn: rules are read anew for each. */
function known(policy: Policy): Known {
  let found = byRules.get(policy.deny);
  if (found === undefined) byRules.set(policy.deny, found = lookUp(policy));
  return found;
}

const byRules = new WeakMap<object, Known>();

function lookUp(policy: Policy): Known {
  const paths = new Set(policy.protected_paths);
  for (const list of ["deny", "ask"] as const) {
    for (const rule of policy[list]) {
      if (rule.specifier === undefined || (rule.tool !== "Read" && rule.tool !== "Edit")) continue;
      const { place } = rulePattern(rule, policy, list);
      if (place !== undefined) paths.add(place);
    }
  }
  const places = [...paths].map((path) => ({ path, real: realPlace(path, policy) }));
  return { places, linked: places.filter(({ path, real }) => path !== real), mounts: readMounts() };
}

function realPlace(path: string, { workspace, home }: Policy): string {
  try {
    return resolvePath(path, { cwd: workspace, home });
  } catch {
    return path; // a loop or too long: it holds for its text alone
  }
}

function readMounts(): Mount[] {
  if (Deno.build.os !== "linux") return [];
  try {
    const mounts = parseMounts(Deno.readTextFileSync("/proc/self/mountinfo"));
    return new Set(mounts.map(({ device }) => device)).size === mounts.length ? [] : mounts;
  } catch {
    return []; // a system without /proc: there are no names to compare
  }
}

/** What lies in the places of rules, by the number of its file; looked at when the first file with several names is met. */
function namesByFile(places: readonly ClosedPlace[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const pending: string[] = [];
  let left = MAX_ENTRIES;
  const look = (path: string) => {
    left -= 1;
    try {
      const stat = Deno.lstatSync(path);
      if (stat.isDirectory) pending.push(path);
      const key = fileKey(stat);
      if (key === undefined || !stat.isFile) return;
      found.set(key, [...found.get(key) ?? [], path]);
    } catch {
      // gone or closed: no file that could be found elsewhere too
    }
  };
  for (const { real } of places) if (real !== "/") look(real);
  for (let at = pending.shift(); at !== undefined && left > 0; at = pending.shift()) {
    let entries: Deno.DirEntry[];
    try {
      entries = [...Deno.readDirSync(at)];
    } catch {
      continue; // gone or closed
    }
    for (const { name } of entries.slice(0, left)) look(`${at}/${name}`);
  }
  return found;
}

function fileKey({ dev, ino }: Deno.FileInfo): string | undefined {
  return ino === null || ino === 0 ? undefined : `${dev}:${ino}`;
}
