import { join } from "node:path";

/** Of a repository's folder: both make git take settings, and so programs to run, from elsewhere. */
const NAMES = ["commondir", "config.worktree"];
/** Folders between `modules` and a submodule's own, which has the path of the submodule. */
const MOST_DEPTH = 6;

/**
 * Files in a workspace's `.git` that a closed command must not make, since git outside of the sandbox would run what they
 * name. The sandbox locks those that are there; one that is not there cannot be forbidden by a mount without git failing over
 * it, so it is taken away when the command has ended.
 */
export class PlantedFiles {
  readonly #absent = new Set<string>();

  /** Notes what is not there before a command that may write in `roots`. */
  watch(roots: readonly string[]): void {
    for (const folder of roots.flatMap((root) => repositories(join(root, ".git")))) {
      for (const path of NAMES.map((name) => join(folder, name))) if (!isThere(path)) this.#absent.add(path);
    }
  }

  /** Takes away what has come since, and names it. */
  remove(): string[] {
    const found = [...this.#absent].filter(isThere);
    for (const path of found) Deno.removeSync(path, { recursive: true });
    return found;
  }
}

/** The folder of a repository and those of its submodules; none for a link or a file. */
function repositories(git: string): string[] {
  if (!isFolder(git)) return [];
  return [git, ...submodules(join(git, "modules"), MOST_DEPTH)];
}

function submodules(folder: string, depth: number): string[] {
  if (depth === 0 || !isFolder(folder)) return [];
  return [...Deno.readDirSync(folder)].filter((entry) => entry.isDirectory).flatMap(({ name }) => {
    const path = join(folder, name);
    if (!isThere(join(path, "HEAD"))) return submodules(path, depth - 1);
    return [path, ...submodules(join(path, "modules"), depth - 1)];
  });
}

function isFolder(path: string): boolean {
  return lookedAt(path)?.isDirectory === true;
}

function isThere(path: string): boolean {
  return lookedAt(path) !== undefined;
}

/** Undefined also for what this user cannot reach. */
function lookedAt(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch (error) {
    if (
      error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
      error instanceof Deno.errors.PermissionDenied
    ) return undefined;
    throw error;
  }
}
