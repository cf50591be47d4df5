import ignore from "ignore";
import type { Ignore } from "ignore";

/** Answers of one library rule set; past this many the set is rebuilt, because it caches every path it was asked. */
const CACHED_ANSWERS = 8192;

/** Lines that only the library can judge. Each is added negated: then `unignored` means "this path itself matches". */
class PatternSet {
  readonly #lines: string[] = [];
  readonly #fold: boolean;
  #set: Ignore | undefined;
  #answers = 0;

  constructor(fold: boolean) {
    this.#fold = fold;
  }

  add(pattern: string): void {
    this.#lines.push(`!${pattern}`);
  }

  matches(path: string): boolean {
    if (this.#lines.length === 0) return false;
    if (this.#set === undefined || this.#answers++ > CACHED_ANSWERS) {
      this.#set = ignore({ ignoreCase: this.#fold }).add(this.#lines);
      this.#answers = 0;
    }
    return this.#set.test(path).unignored;
  }
}

/** Neighbouring lines of a file that all exclude, or all re-include: inside a run the order does not matter. */
class Run {
  readonly #names = new Set<string>();
  readonly #directoryNames = new Set<string>();
  readonly #paths = new Set<string>();
  readonly #directoryPaths = new Set<string>();
  readonly #suffixes: string[] = [];
  readonly #directorySuffixes: string[] = [];
  readonly #namePatterns: PatternSet;
  readonly #pathPatterns: PatternSet;
  readonly #fold: boolean;

  constructor(readonly excludes: boolean, fold: boolean) {
    this.#fold = fold;
    this.#namePatterns = new PatternSet(fold);
    this.#pathPatterns = new PatternSet(fold);
  }

  add(pattern: string): void {
    const directory = pattern.endsWith("/");
    let body = directory ? pattern.slice(0, -1) : pattern;
    const anchored = body.includes("/");
    if (
      /[\\[?]|\/$|^\/\/|^\/?$/.test(body) || body.lastIndexOf("*") > 0 || (anchored && body.includes("*"))
    ) {
      for (const line of spellGlobstars(pattern)) {
        (anchored ? this.#pathPatterns : this.#namePatterns).add(line);
      }
      return;
    }
    if (this.#fold) body = body.toLowerCase();
    if (body.startsWith("*")) (directory ? this.#directorySuffixes : this.#suffixes).push(body.slice(1));
    else if (!anchored) (directory ? this.#directoryNames : this.#names).add(body);
    else (directory ? this.#directoryPaths : this.#paths).add(body.startsWith("/") ? body.slice(1) : body);
  }

  matches(path: string, name: string, directory: boolean): boolean {
    const foldedName = this.#fold ? name.toLowerCase() : name;
    if (this.#names.has(foldedName)) return true;
    for (const suffix of this.#suffixes) if (foldedName.endsWith(suffix)) return true;
    if (this.#paths.size > 0 && this.#paths.has(this.#fold ? path.toLowerCase() : path)) return true;
    if (directory) {
      if (this.#directoryNames.has(foldedName)) return true;
      for (const suffix of this.#directorySuffixes) if (foldedName.endsWith(suffix)) return true;
      if (this.#directoryPaths.has(this.#fold ? path.toLowerCase() : path)) return true;
    }
    const mark = directory ? "/" : "";
    return this.#namePatterns.matches(name + mark) || this.#pathPatterns.matches(path + mark);
  }
}

/**
 * Git compares the literal head of a path pattern first, so the stars of `ab**` before a slash begin what is left
 * and span directories; `\/` is a plain slash to it. The library knows neither, hence these spellings of the same.
 */
function spellGlobstars(pattern: string): string[] {
  const plain = pattern.includes("[")
    ? pattern
    : pattern.replace(/\\([^])/g, (pair, next, at) => next === "/" && at + 2 < pattern.length ? "/" : pair);
  const mark = plain.endsWith("/") ? "/" : "";
  const body = mark === "" ? plain : plain.slice(0, -1);
  const run = /^([^*?[\\]*[^*?[\\/])\*{2,}(?=\/|$)/.exec(body);
  if (run === null || !body.includes("/")) return [plain];
  const head = run[1]!.startsWith("/") ? run[1]! : `/${run[1]!}`;
  const rest = body.slice(run[0].length) + mark;
  if (rest === mark) return [`${head}*${mark}`, `${head}*/**${mark}`];
  return [`${head}*/**${rest}`, ...spellGlobstars(head + rest.slice(1))];
}

/**
 * The rules of one ignore file, judged as Git judges them (gitignore(5)): the last line that matches wins, a line
 * with a slash inside is anchored at the file's folder, a final slash matches directories only.
 */
export class IgnoreRules {
  readonly #runs: Run[] = [];

  /** Reads the text of a `.gitignore` or `info/exclude`. `fold`: letters match in either case. */
  constructor(text: string, fold: boolean) {
    for (const raw of text.replace(/^\uFEFF/, "").split("\n")) {
      const line = trimLine(raw.endsWith("\r") ? raw.slice(0, -1) : raw);
      if (line === "" || line.startsWith("#")) continue;
      const excludes = !line.startsWith("!");
      const pattern = excludes ? line : line.slice(1);
      if (pattern === "") continue;
      let run = this.#runs.at(-1);
      if (run?.excludes !== excludes) this.#runs.push(run = new Run(excludes, fold));
      run.add(pattern);
    }
  }

  /** True when the file holds no rule at all. */
  get empty(): boolean {
    return this.#runs.length === 0;
  }

  /**
   * True = excluded, false = included again, undefined = no line speaks of it. `path` is relative to the file's
   * folder with `/`; a link is never a directory. Parents are not looked at: the walk has judged them.
   */
  judge(path: string, name: string, directory: boolean): boolean | undefined {
    for (let index = this.#runs.length - 1; index >= 0; index--) {
      const run = this.#runs[index]!;
      if (run.matches(path, name, directory)) return run.excludes;
    }
    return undefined;
  }
}

/** Drops trailing spaces as Git does: spaces only, and one behind a backslash stays. */
function trimLine(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === " ") end--;
  if (end === line.length) return line;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === "\\") backslashes++;
  return line.slice(0, backslashes % 2 === 1 ? end + 1 : end);
}
