import { dirname, join } from "node:path";

/**
 * The branch or commit of the repository around a directory, read from its files: running git would run whatever the
 * repository's settings name. Undefined outside a repository and when it cannot be read.
 */
export function gitHead(start: string): string | undefined {
  for (let directory = start;; directory = dirname(directory)) {
    try {
      const git = join(directory, ".git");
      const folder = Deno.statSync(git).isDirectory ? git : linkedFolder(directory, git);
      const head = Deno.readTextFileSync(join(folder, "HEAD")).trim();
      return head.startsWith("ref: refs/heads/")
        ? `branch ${head.slice("ref: refs/heads/".length)}`
        : `commit ${head.slice(0, 12)}`;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound) || dirname(directory) === directory) return undefined;
    }
  }
}

/** A worktree's `.git` is a file that names the folder. */
function linkedFolder(directory: string, file: string): string {
  const target = Deno.readTextFileSync(file).replace(/^gitdir: /, "").trim();
  return target.startsWith("/") ? target : join(directory, target);
}

/** The real path of the repository's folder around a directory. Undefined outside of one, and where a file or a link leads to it. */
export function gitFolder(start: string): string | undefined {
  for (let directory = start;; directory = dirname(directory)) {
    const git = join(directory, ".git");
    try {
      return Deno.lstatSync(git).isDirectory ? Deno.realPathSync(git) : undefined;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound) || dirname(directory) === directory) return undefined;
    }
  }
}
