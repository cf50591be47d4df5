import { existsSync } from "node:fs";
import { isAbsolute, join, normalize } from "node:path";
import { absolutePath, isInside, linkHops, resolvePath } from "../files/mod.ts";
import type { PathFact } from "./facts.ts";
import { pathAliases } from "./path_aliases.ts";
import type { Policy } from "./policy.ts";

export interface PathPlace {
  cwd: string;
  home: string;
  /** Whose rules are held against the other names of a path. */
  policy?: Policy;
}

/** Looks a path up: where it lies as text and with all links followed. Throws what `resolvePath` throws. */
export function pathFact(
  given: string,
  access: "read" | "write",
  { cwd, home, policy }: PathPlace,
  kind: { mention?: boolean; tilde?: boolean } = {},
): PathFact {
  // a `~` that the shell has not expanded is a name like any other
  const path = kind.tilde === false && given.startsWith("~") ? `./${given}` : given;
  const absolute = absolutePath(path, { cwd, home });
  const resolved = resolvePath(absolute, { cwd, home });
  const link = normalize(absolute).replace(/(.)\/+$/, "$1");
  const stat = statOf(resolved);
  const aliases = new Set(link === resolved ? [] : linkHops(absolute, { cwd, home }));
  if (policy !== undefined) { for (const alias of pathAliases(resolved, stat, policy)) aliases.add(alias); }
  aliases.delete(link);
  aliases.delete(resolved);
  return {
    given,
    link,
    resolved,
    aliases: [...aliases],
    access,
    is_dir: stat?.isDirectory ?? false,
    below: [],
    mention: kind.mention ?? false,
  };
}

/** What stands at a resolved path; undefined when it cannot be looked at. */
function statOf(path: string): Deno.FileInfo | undefined {
  try {
    // a call that throws costs ten times one that finds nothing
    return existsSync(path) ? Deno.statSync(path) : undefined;
  } catch {
    return undefined; // missing or closed to this process
  }
}

/** True for a folder that stands where its path says, reached through no link. */
export function isRealDirectory(path: string): boolean {
  try {
    return Deno.realPathSync(path) === path && Deno.statSync(path).isDirectory;
  } catch {
    return false; // gone or closed
  }
}

/** True when one of the folders, taken from each of `cwds` where relative, holds an entry of that name. */
export function standsIn(folders: readonly string[], name: string, cwds: readonly string[]): boolean {
  return folders.some((folder) =>
    cwds.some((cwd) => existsSync(join(isAbsolute(folder) ? folder : join(cwd, folder), name)))
  );
}

/** Entries looked at before a tree counts as too large. */
const MAX_ENTRIES = 20_000;

/**
 * Why a program that follows the names of a tree blindly could leave it: a link that leads out of `roots`, or a name that
 * would be taken for two. Undefined when there is none.
 */
export function leavesTree(
  folders: readonly string[],
  roots: readonly string[],
  place: PathPlace,
): string | undefined {
  const pending = [...folders];
  let left = MAX_ENTRIES;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    let entries: Iterable<Deno.DirEntry>;
    try {
      entries = Deno.readDirSync(folder);
      for (const entry of entries) {
        if (--left < 0) return `${folders.join(", ")} holds too many files to look for links`;
        const path = `${folder}/${entry.name}`;
        if (/[\s'"\\]/.test(entry.name)) return `the name ${JSON.stringify(path)} would be taken for several`;
        if (entry.isDirectory) pending.push(path);
        if (!entry.isSymlink) continue;
        const target = resolvePath(path, place);
        if (!roots.some((root) => isInside(root, target))) return `${path} leads to ${target}`;
      }
    } catch (error) {
      // a folder that is gone or closed has nothing to follow; anything else is not known
      if (
        !(error instanceof Deno.errors.NotFound) && !(error instanceof Deno.errors.PermissionDenied) &&
        !(error instanceof Deno.errors.NotADirectory)
      ) return `${folder} cannot be looked through`;
    }
  }
  return undefined;
}

/** Entries looked at for names that a rule refuses. */
const MAX_LOOKED = 5000;
const MAX_FOUND = 20;

/**
 * The paths below `folder` for which `named` is true, links not followed and git's own folder left out; `unknown` when
 * there is too much to look at.
 */
export function namedBelow(
  folder: string,
  named: (path: string, is_dir: boolean) => boolean,
  visible_only: boolean,
): string[] | "unknown" {
  const found: string[] = [];
  const pending = [folder];
  let left = MAX_LOOKED;
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    let entries: Deno.DirEntry[];
    try {
      entries = [...Deno.readDirSync(at)];
    } catch {
      continue; // gone or closed: the command reads nothing there either
    }
    for (const entry of entries) {
      if (--left < 0) return "unknown";
      if (entry.name === ".git" || (visible_only && entry.name.startsWith("."))) continue;
      const path = `${at === "/" ? "" : at}/${entry.name}`;
      if (named(path, entry.isDirectory)) found.push(path);
      else if (entry.isDirectory) pending.push(path);
      if (found.length >= MAX_FOUND) return found;
    }
  }
  return found;
}
