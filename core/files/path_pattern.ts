import ignore from "ignore";
import { LuminaError } from "../base/mod.ts";
import { foldCase } from "./folds_case.ts";

/** Answers that a test for many patterns keeps. */
const MAX_ANSWERS = 4096;
/** Marks an absolute pattern that ignores the case of letters. */
const FOLDED = "(?i)";
// deno-lint-ignore no-control-regex -- all that is ASCII
const NOT_ASCII = /[^\x00-\x7f]/;

export interface PatternOptions {
  /** Folder of the file the pattern stands in: where `/path` starts. */
  base_dir: string;
  /** Where `path` and `./path` start. */
  cwd: string;
  home: string;
  /** For refusing and asking: a bare name or a single folder matches at any depth of the whole disk. */
  widen: boolean;
  /** Compare without regard to case; only for refusing. */
  fold: boolean;
}

/**
 * A path pattern in gitignore syntax with four anchors: `//abs`, `~/home`, `/relative-to-its-file`, `path` or `./path`
 * (the working folder). A bare file name matches at any depth; a single folder (`name/`, `name/**`) at any depth where
 * `widen` is set, else only in the working folder. A pattern that names a folder matches all below it. Where `widen` is set
 * the Unicode form of a name makes no difference: `é` is one character or two.
 *
 * `absolute` is the whole pattern as one string, to be sent elsewhere and compiled there with `fromAbsolute`.
 */
export class PathPattern {
  readonly absolute: string;
  readonly #fold: boolean;
  /** What the matcher was made of. */
  readonly #body: string;
  readonly #matcher: ignore.Ignore;
  /** For refusing: the pattern in normal form C, for paths that are spelled otherwise. */
  readonly #normal: ignore.Ignore | undefined;

  private constructor(absolute: string, widen: boolean) {
    this.absolute = absolute;
    this.#fold = absolute.startsWith(FOLDED);
    const body = this.#fold ? foldCase(absolute.slice(FOLDED.length)) : absolute;
    this.#matcher = matcherOf(body);
    this.#body = body;
    const normal = body.normalize("NFC");
    if (widen && !this.#fold) this.#normal = normal === body ? this.#matcher : matcherOf(normal);
  }

  /** Compiles a pattern as a rule has it. Throws `files.pattern` for one that can never match. */
  static fromRule(text: string, options: PatternOptions): PathPattern {
    return new PathPattern((options.fold ? FOLDED : "") + absoluteForm(text, options), options.widen);
  }

  /** Compiles what `absolute` of a refusing pattern held. Throws `files.pattern` when it is not such a string. */
  static fromAbsolute(absolute: string): PathPattern {
    if (!absolute.startsWith("/") && !absolute.startsWith(`${FOLDED}/`)) {
      throw new LuminaError("files.pattern", `The pattern ${JSON.stringify(absolute)} is not absolute`);
    }
    return new PathPattern(absolute, true);
  }

  /** A test for many patterns at once: whether at least one of them matches. */
  static anyOf(patterns: readonly PathPattern[]): (path: string, is_dir?: boolean) => boolean {
    const gather = (kind: (pattern: PathPattern) => boolean, form: (body: string) => string) => {
      const kept = patterns.filter(kind);
      return kept.length === 0 ? undefined : matcherOf(...kept.map((pattern) => form(pattern.#body)));
    };
    const exact = gather((pattern) => !pattern.#fold, (body) => body);
    const folded = gather((pattern) => pattern.#fold, (body) => body);
    const normal = gather((pattern) => pattern.#normal !== undefined, (body) => body.normalize("NFC"));
    const whole = patterns.some((pattern) => pattern.matches("/"));
    const test = (path: string, is_dir: boolean): boolean => {
      const slashed = slashPath(path);
      if (/^\/*$/.test(slashed)) return whole;
      const asked = (text: string) => text.replace(/^\/+|\/+$/g, "") + (is_dir ? "/" : "");
      return exact?.ignores(asked(slashed)) === true || folded?.ignores(asked(foldCase(slashed))) === true ||
        normal?.ignores(asked(slashed).normalize("NFC")) === true;
    };
    const files = new Map<string, boolean>();
    const folders = new Map<string, boolean>();
    return (path, is_dir = false) => {
      const answers = is_dir ? folders : files;
      let answer = answers.get(path);
      if (answer === undefined) {
        if (answers.size >= MAX_ANSWERS) answers.clear();
        answers.set(path, answer = test(path, is_dir));
      }
      return answer;
    };
  }

  /** True when the pattern names `path` (absolute) or a folder above it. */
  matches(path: string, is_dir = false): boolean {
    const slashed = slashPath(path);
    const subject = (this.#fold ? foldCase(slashed) : slashed).replace(/^\/+|\/+$/g, "");
    if (subject === "") return /^(\(\?i\))?\/(\*{1,2})?$/.test(this.absolute);
    const asked = is_dir ? `${subject}/` : subject;
    if (this.#matcher.ignores(asked)) return true;
    if (this.#normal === undefined || !NOT_ASCII.test(this.absolute + asked)) return false;
    return this.#normal.ignores(asked.normalize("NFC"));
  }

  /** The place that all paths lie in which the pattern names, without the names from the first wildcard on; undefined for none. */
  get place(): string | undefined {
    const fixed: string[] = [];
    const names = this.absolute.slice(this.#fold ? FOLDED.length : 0).split("/").filter((name) =>
      name !== ""
    );
    for (const name of names) {
      if (/(?<!\\)[*?[]/.test(name)) break;
      fixed.push(name.replace(/\\(.)/g, "$1"));
    }
    return fixed.length === 0 ? undefined : `/${fixed.join("/")}`;
  }

  /**
   * True unless it is certain that the pattern matches nothing below the folder `dir`. Compares only the names in front
   * of the first wildcard, so it may say true too often, never too seldom.
   */
  mayMatchBelow(dir: string): boolean {
    const fold = (text: string) => this.#fold ? foldCase(text) : text.normalize("NFC");
    const fixed = fold(this.absolute.slice(this.#fold ? FOLDED.length : 0)).split("/").filter((n) =>
      n !== ""
    );
    const names = fold(slashPath(dir)).split("/").filter((n) => n !== "");
    for (let i = 0; i < fixed.length && i < names.length; i++) {
      const name = fixed[i] ?? "";
      if (/[*?[\\]/.test(name)) return true;
      if (name !== names[i]) return false;
    }
    return true;
  }

  toJSON(): string {
    return this.absolute;
  }
}

/** The pattern, in the form of `absolute`, that names all that lies below a folder. */
export function everythingBelow(folder: string): string {
  return under(folder, "");
}

/** A path with `/` between its names; `C:\a` becomes `/c/a`. */
export function slashPath(path: string): string {
  const drive = /^([A-Za-z]):[\\/]/.exec(path);
  if (drive === null) return path;
  return `/${(drive[1] ?? "").toLowerCase()}/${path.slice(3).replaceAll("\\", "/")}`;
}

function matcherOf(...patterns: readonly string[]): ignore.Ignore {
  return ignore({ ignorecase: false, allowRelativePaths: false }).add(
    patterns.map((pattern) => ({ pattern })),
  );
}

function absoluteForm(text: string, { base_dir, cwd, home, widen }: PatternOptions): string {
  if (text.trim() === "" || text.startsWith("!") || text.includes("\n") || text.includes("\0")) {
    throw new LuminaError("files.pattern", `The path pattern ${JSON.stringify(text)} can match nothing`);
  }
  const slashed = slashPath(text.startsWith("(?i)") ? `./${text}` : text);
  // a refusal of `x/` must hold for a file or a link called x too, and one of `x/**` for listing x
  const pattern = widen ? slashed.replace(/(.)\/+$/, "$1").replace(/([^/*])\/\*\*$/, "$1") : slashed;
  if (/^[A-Za-z]:[\\/]/.test(text)) return pattern;
  if (pattern.startsWith("//")) return `/${pattern.replace(/^\/+/, "")}`;
  if (pattern === "~" || pattern.startsWith("~/")) return under(home, pattern.slice(2));
  if (pattern.startsWith("/")) return under(base_dir, pattern.slice(1));
  if (pattern.startsWith("./")) return under(cwd, pattern.slice(2));
  const bare = !pattern.replace(/^(\*\*\/)+/, "").includes("/");
  const single_dir = /^[^/]+\/(\*\*?)?$/.test(pattern);
  if (widen && (bare || single_dir)) return `/**/${pattern.replace(/^(\*\*\/)+/, "")}`;
  return bare && pattern !== "*" && pattern !== "**" ? under(cwd, `**/${pattern}`) : under(cwd, pattern);
}

function under(folder: string, rest: string): string {
  const escaped = slashPath(folder).replace(/\/+$/, "").replace(/[\\*?[\]]/g, "\\$&");
  const clean = rest.replace(/^\/+/, "");
  return clean === "" ? `${escaped}/**` : `${escaped}/${clean}`;
}
