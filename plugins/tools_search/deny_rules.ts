import { foldCase, PathPattern } from "../../core/files/mod.ts";

/** Paths asked of one compiled pattern before it is compiled anew: it keeps every answer. */
const KEPT_ANSWERS = 8192;

/**
 * Deny rules as one question: is this path closed? `patterns` are the absolute patterns of the call's context. A rule
 * that is a bare name at any depth is a look-up, so that the usual rules cost nothing on a large tree.
 */
export function compileDenyRules(
  patterns: readonly string[],
): ((path: string, directory: boolean) => boolean) | undefined {
  if (patterns.length === 0) return undefined;
  const names = new Set<string>();
  const foldedNames = new Set<string>();
  const others: { absolute: string; pattern: PathPattern }[] = [];
  for (const absolute of patterns) {
    const name = /^(\(\?i\))?\/\*\*\/([^/*?[\]\\!# ]+)$/.exec(absolute);
    if (name === null) others.push({ absolute, pattern: PathPattern.fromAbsolute(absolute) });
    else if (name[1] === undefined) names.add(name[2]!.normalize("NFC"));
    else foldedNames.add(foldCase(name[2]!));
  }
  let answers = 0;
  return (path, directory) => {
    const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
    if (names.has(name.normalize("NFC")) || (foldedNames.size > 0 && foldedNames.has(foldCase(name)))) {
      return true;
    }
    if (others.length === 0) return false;
    if (++answers > KEPT_ANSWERS) {
      answers = 0;
      for (const other of others) other.pattern = PathPattern.fromAbsolute(other.absolute);
    }
    return others.some(({ pattern }) => pattern.matches(path, directory));
  };
}
