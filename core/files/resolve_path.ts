import { existsSync } from "node:fs";
import { isAbsolute, parse, sep } from "node:path";
import { LuminaError } from "../base/mod.ts";

/** Links followed for one path before it counts as a loop (the limit of Linux, `path_resolution(7)`). */
const MAX_LINKS = 40;

export interface ResolveOptions {
  /** Absolute folder where relative paths start. */
  cwd: string;
  /** Absolute home folder for a leading `~`. */
  home: string;
}

/**
 * The absolute path that the operating system would open for `path`: every link hop is followed, also the ones of a
 * dangling link, and `..` means the parent of what was reached, not of what was written. Names that do not exist yet
 * are kept. A leading `~` or `~/` is `home`. Folders this process may not look into count as plain folders.
 * Throws `files.link_loop` for links that never end and `files.path` for an empty path, one with a NUL and one that the
 * system finds too long.
 */
export function resolvePath(path: string, { cwd, home }: ResolveOptions): string {
  const start = absolutePath(path, { cwd, home });
  if (!/(^|[\\/])\.\.([\\/]|$)/.test(start)) {
    try {
      if (existsSync(start)) return Deno.realPathSync(start);
    } catch {
      // missing, a loop, or closed to this process: the walk below finds out which
    }
  }
  return walk(start, path);
}

/** `path` made absolute as text: `~` and `cwd` are put in front, nothing is looked up, `..` stays. */
export function absolutePath(path: string, { cwd, home }: ResolveOptions): string {
  if (path === "") throw new LuminaError("files.path", "A path is empty; name a file or a folder");
  if (path.includes("\0")) {
    throw new LuminaError("files.path", `The path ${JSON.stringify(path)} holds a NUL; remove it`);
  }
  const expanded = path === "~" ? home : path.startsWith("~/") ? home + path.slice(1) : path;
  return isAbsolute(expanded) ? expanded : cwd.endsWith(sep) ? cwd + expanded : cwd + sep + expanded;
}

/**
 * The names under which `path` passes on its way: after each link that is followed, the whole path as it then reads, the last
 * of which is what `resolvePath` gives. Empty where no link is met. Throws what `resolvePath` throws.
 */
export function linkHops(path: string, options: ResolveOptions): string[] {
  const hops: string[] = [];
  walk(absolutePath(path, options), path, (hop) => hops.push(hop));
  return hops;
}

/** True when `path` is `root` or lies below it. Both are absolute and resolved. */
export function isInside(root: string, path: string): boolean {
  return path.startsWith(root) &&
    (path.length === root.length || root.endsWith(sep) || path[root.length] === sep);
}

function walk(start: string, given: string, onHop?: (path: string) => void): string {
  let root = parse(start).root;
  const pending = names(start.slice(root.length)).reverse();
  let reached: string[] = [];
  let missing_from = Infinity; // `reached` names from this index on do not exist
  let links = 0;
  while (pending.length > 0) {
    const name = pending.pop();
    if (name === undefined || name === "" || name === ".") continue;
    if (name === "..") {
      reached.pop();
      if (reached.length <= missing_from) missing_from = Infinity;
      continue;
    }
    reached.push(name);
    if (reached.length > missing_from) continue;
    const target = linkTarget(root + reached.join(sep), given);
    if (target === "missing") missing_from = reached.length - 1;
    if (typeof target !== "object") continue;
    links += 1;
    if (links > MAX_LINKS) {
      throw new LuminaError(
        "files.link_loop",
        `Cannot resolve ${JSON.stringify(given)}: its links lead in a circle; remove one of them`,
      );
    }
    if (isAbsolute(target.link)) {
      root = parse(target.link).root;
      reached = [];
      pending.push(...names(target.link.slice(root.length)).reverse());
    } else {
      reached.pop();
      pending.push(...names(target.link).reverse());
    }
    onHop?.(root + [...reached, ...pending.toReversed().filter((name) => name !== "")].join(sep));
  }
  const known = storedCase(root + reached.slice(0, missing_from).join(sep));
  const rest = reached.slice(missing_from);
  return rest.length === 0 ? known : (known.endsWith(sep) ? known : known + sep) + rest.join(sep);
}

/** A path that exists, in the spelling that the disk has for it: a volume that folds case takes any. */
function storedCase(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    return path; // closed to this process
  }
}

function names(path: string): string[] {
  return path.split(Deno.build.os === "windows" ? /[\\/]/ : "/");
}

/** What stands at `path`: a link with its target, something else, or nothing. */
function linkTarget(path: string, given: string): { link: string } | "plain" | "missing" {
  try {
    if (!Deno.lstatSync(path).isSymlink) return "plain";
    return { link: Deno.readLinkSync(path) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return "missing";
    // closed to this process: a path through it cannot be opened by it either, so no link can be used
    if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
      return "plain";
    }
    if (error instanceof Deno.errors.FilesystemLoop) return "plain";
    if (error instanceof Deno.errors.InvalidData) {
      throw new LuminaError(
        "files.path",
        `Cannot resolve ${JSON.stringify(given)}: a link on its way leads to a name that is no UTF-8 text`,
        { cause: error },
      );
    }
    if (error instanceof Error && "code" in error && error.code === "ENAMETOOLONG") {
      throw new LuminaError(
        "files.path",
        `The path ${
          JSON.stringify(given.slice(0, 60))
        }… of ${given.length} characters is longer than the system takes; shorten it`,
      );
    }
    throw error;
  }
}
