import { basename, dirname, join, resolve, sep } from "node:path";
import { IgnoreRules } from "./gitignore.ts";
import { isWithinRoots } from "./walk_roots.ts";

/** Ignore files above this size are not rules that a person wrote. */
const MAX_IGNORE_FILE = 4 * 1024 * 1024;

/** The rules of one folder, over those of its parents. */
export interface IgnoreLevel {
  readonly rules: IgnoreRules;
  /** The folder with a final separator: what is cut off a path to make it relative. */
  readonly base: string;
  readonly parent: IgnoreLevel | undefined;
}

/**
 * The ignore files of a walk: each folder's `.gitignore` over its parents' up to the repository's root, and that
 * root's `info/exclude` below them all. A repository inside another begins anew, as in Git. Only files beneath the
 * read roots are read, and no `.gitignore` that is a link, as in Git. The user's global excludes are not consulted.
 */
export class IgnoreChain {
  readonly #roots: readonly string[];
  readonly #fold = Deno.build.os !== "linux";
  /** Ignore files that were there and could not be read. */
  unreadable = 0;

  constructor(readRoots: readonly string[]) {
    this.#roots = readRoots;
  }

  /** True when the entry is ignored. `path` starts with every `base` of the chain. */
  static ignores(level: IgnoreLevel | undefined, path: string, name: string, directory: boolean): boolean {
    for (let at = level; at !== undefined; at = at.parent) {
      const relative = path.slice(at.base.length);
      const verdict = at.rules.judge(sep === "/" ? relative : relative.replaceAll(sep, "/"), name, directory);
      if (verdict !== undefined) return verdict;
    }
    return false;
  }

  /**
   * The rules that stand over `root` before its own files are read. When they ignore `root` itself, the caller has
   * named an ignored place on purpose: then none of them holds inside it.
   */
  above(root: string): IgnoreLevel | undefined {
    const folders: string[] = [];
    if (this.#hasGit(root)) return undefined; // a repository's root begins anew
    for (let at = dirname(root); isWithinRoots(at, this.#roots); at = dirname(at)) {
      folders.unshift(at);
      if (this.#hasGit(at) || dirname(at) === at) break;
    }
    let level: IgnoreLevel | undefined;
    for (const [index, folder] of folders.entries()) {
      level = this.enter(level, folder, folder, this.#hasGit(folder), true);
      const next = folders[index + 1] ?? root;
      if (IgnoreChain.ignores(level, next, basename(next), true)) return undefined;
    }
    return level;
  }

  /**
   * The rules inside `folder` (read at `real`), given those over it. `git`: it holds a `.git`. `own`: it may hold
   * a `.gitignore`.
   */
  enter(
    over: IgnoreLevel | undefined,
    folder: string,
    real: string,
    git: boolean,
    own: boolean,
  ): IgnoreLevel | undefined {
    const base = folder.endsWith(sep) ? folder : folder + sep;
    let level = over;
    if (git) {
      level = undefined;
      const exclude = this.#excludeFile(real);
      if (exclude !== undefined) level = this.#add(level, base, exclude);
    }
    return own ? this.#add(level, base, join(real, ".gitignore")) : level;
  }

  #add(over: IgnoreLevel | undefined, base: string, file: string): IgnoreLevel | undefined {
    const text = this.#read(file);
    if (text === undefined) return over;
    const rules = new IgnoreRules(text, this.#fold);
    return rules.empty ? over : { rules, base, parent: over };
  }

  #read(file: string): string | undefined {
    try {
      const info = Deno.lstatSync(file);
      if (!info.isFile) return undefined;
      if (info.size > MAX_IGNORE_FILE || !isWithinRoots(Deno.realPathSync(file), this.#roots)) {
        this.unreadable++;
        return undefined;
      }
      return Deno.readTextFileSync(file);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) this.unreadable++;
      return undefined; // absent: no rules; unreadable: counted, and the walk's report says so
    }
  }

  #hasGit(folder: string): boolean {
    try {
      const info = Deno.lstatSync(join(folder, ".git"));
      return info.isDirectory || info.isFile;
    } catch {
      return false; // absent or not ours to look at: no repository as far as this walk can know
    }
  }

  /** `info/exclude` of the repository at `folder`; a work tree's `.git` file names the folder that has it. */
  #excludeFile(folder: string): string | undefined {
    const git = join(folder, ".git");
    try {
      if (Deno.lstatSync(git).isDirectory) return join(git, "info", "exclude");
      const target = /^gitdir: (.+)$/m.exec(Deno.readTextFileSync(git))?.[1];
      if (target === undefined) return undefined;
      const own = Deno.realPathSync(resolve(folder, target.trim()));
      if (!isWithinRoots(own, this.#roots)) return undefined;
      const common = Deno.realPathSync(resolve(own, Deno.readTextFileSync(join(own, "commondir")).trim()));
      return isWithinRoots(common, this.#roots) ? join(common, "info", "exclude") : undefined;
    } catch {
      return undefined; // a broken or closed-off link to a repository has no excludes that we may read
    }
  }
}
