import { normalize } from "node:path";
import { absolutePath, isInside, resolvePath } from "../files/mod.ts";
import type { PathFact } from "./facts.ts";
import { isDirectory } from "./shell/is_directory.ts";

export interface PathPlace {
  cwd: string;
  home: string;
}

/** Looks a path up: where it lies as text and with all links followed. Throws what `resolvePath` throws. */
export function pathFact(
  given: string,
  access: "read" | "write",
  { cwd, home }: PathPlace,
  kind: { recursive?: boolean; mention?: boolean; tilde?: boolean } = {},
): PathFact {
  // a `~` that the shell has not expanded is a name like any other
  const path = kind.tilde === false && given.startsWith("~") ? `./${given}` : given;
  const absolute = absolutePath(path, { cwd, home });
  const resolved = resolvePath(absolute, { cwd, home });
  const link = normalize(absolute).replace(/(.)\/+$/, "$1");
  return {
    given,
    link,
    resolved,
    access,
    is_dir: isDirectory(resolved),
    recursive: kind.recursive ?? false,
    mention: kind.mention ?? false,
  };
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
