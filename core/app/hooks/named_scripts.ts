import { basename, dirname, extname, isAbsolute, join, normalize, relative } from "node:path";
import { LuminaError, sha256 } from "../../base/mod.ts";
import { isInside } from "../../files/mod.ts";

/** A file of a project that a hook's command names, with its bytes' hash. */
export interface NamedScript {
  /** Relative to the project; absolute where a link of the project leads out of it. */
  path: string;
  sha256: string;
}

/** What one hook may name: more cannot be looked at by anybody. */
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_SCRIPTS = 100;

/** What stands for the project's folder at the beginning of a word. */
const PROJECT =
  /^(?:\$\{(?:CLAUDE_PROJECT_DIR|LUMINA_PROJECT_DIR|PWD)(?::?-[^}]*)?\}|\$(?:CLAUDE_PROJECT_DIR|LUMINA_PROJECT_DIR|PWD)(?=\/|$))/;

/** Files beside a script in a folder named `hooks` that it may load. */
const SCRIPT_ENDS = new Set([
  "",
  ".bash",
  ".cjs",
  ".js",
  ".mjs",
  ".pl",
  ".py",
  ".rb",
  ".sh",
  ".ts",
  ".zsh",
]);

/**
 * The files of a project that words of a command name, so that a trust in the command ends when their bytes change. A word may
 * start at the project, at a folder that another word names (`cd .claude/hooks && ./check.sh`), or behind what gives the
 * project's folder when it runs (`$(git rev-parse --show-toplevel)/check.sh`). Where such a file lies in a folder named
 * `hooks`, the other scripts of that folder belong to it. Throws `hook.too_large`, and what reading gives.
 */
export function namedScripts(root: string, words: readonly string[]): NamedScript[] {
  const found = new Map<string, NamedScript>();
  let bytes = 0;
  const add = (file: string) => {
    const path = isInside(root, file) ? relative(root, file) : file;
    if (found.has(path)) return;
    bytes += Deno.statSync(file).size;
    if (bytes > MOST_BYTES || found.size === MOST_SCRIPTS) {
      throw new LuminaError(
        "hook.too_large",
        `it names more than ${MOST_SCRIPTS} files or ${MOST_BYTES} bytes, which nobody can look at`,
      );
    }
    found.set(path, { path, sha256: sha256(Deno.readFileSync(file)) });
  };
  const named = words.flatMap(parts).map((word) => word.replace(PROJECT, root));
  const folders = [...new Set(named.flatMap((word) => folderOf(root, word) ?? []))].slice(0, MOST_SCRIPTS);
  for (const word of named) {
    const places = isAbsolute(word)
      ? [word, join(root, word)]
      : [root, ...folders].map((at) => join(at, word));
    for (const file of new Set(places.flatMap((place) => fileOf(root, place) ?? []))) {
      add(file);
      const folder = dirname(file);
      if (basename(folder) !== "hooks") continue;
      for (const { name } of Deno.readDirSync(folder)) {
        const sibling = SCRIPT_ENDS.has(extname(name)) ? fileOf(folder, join(folder, name)) : undefined;
        if (sibling !== undefined) add(sibling);
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Where a line writes: behind an operator that stands in no quotes, or behind `tee`. */
const WRITTEN =
  /(?:(?<!["'\\<])(?:[&\d]?>{1,2}\|?)|\btee\s(?:\s*-a\s)?)\s*((?:"[^"]*"|'[^']*'|[^\s;|&<>()`"'\\])+)/g;

/**
 * The words of a command line without quotes and operators: whatever could be the name of a file. What it only writes, such
 * as a log, changes by its own running and is left out; what it names elsewhere as well counts.
 */
function parts(line: string): string[] {
  return wordsOf(line.replaceAll(WRITTEN, (all, target: string) => all.slice(0, all.length - target.length)));
}

function wordsOf(line: string): string[] {
  const plain = line.replaceAll(/["'\\]/g, "");
  const spaced = line.match(/"[^"]*"|'[^']*'/g)?.map((quoted) => quoted.slice(1, -1)) ?? [];
  const words = plain.split(/[\s;|&<>()`]+/);
  const values = words.flatMap((word) => word.includes("=") ? [word.slice(word.indexOf("=") + 1)] : []);
  return [...words, ...values, ...spaced].filter((word) => word !== "");
}

/** The real path of a file that stands in the project or is reached through a link there; undefined for everything else. */
function fileOf(root: string, path: string): string | undefined {
  const real = realPath(path);
  if (real === undefined || !(isInside(root, normalize(path)) || isInside(root, real))) return undefined;
  return Deno.statSync(real).isFile ? real : undefined;
}

/** A folder of the project that a word names. */
function folderOf(root: string, word: string): string | undefined {
  const path = normalize(isAbsolute(word) ? word : join(root, word));
  return path !== root && isInside(root, path) && realPath(path) !== undefined &&
      Deno.statSync(path).isDirectory
    ? path
    : undefined;
}

function realPath(path: string): string | undefined {
  if (path.includes("\0") || path.length > 4096) return undefined;
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    const absent = error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
      error instanceof Deno.errors.FilesystemLoop || error instanceof Deno.errors.InvalidData;
    if (absent || (error instanceof Error && /name too long/i.test(error.message))) return undefined;
    throw error;
  }
}
