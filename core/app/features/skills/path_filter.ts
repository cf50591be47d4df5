import ignore from "ignore";

/** True for a path that gitignore-like patterns mean; `!` takes away again. Paths are relative, with `/`. */
export function pathFilter(patterns: readonly string[]): (path: string) => boolean {
  const matcher = ignore().add([...patterns]);
  return (path) => matcher.ignores(path);
}
