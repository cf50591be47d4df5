import { isInside } from "./resolve_path.ts";

/** True when `path` is one of `roots` or lies beneath one. All are absolute with their links resolved. */
export function isWithinRoots(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isInside(root, path));
}
