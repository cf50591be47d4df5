import picomatch from "picomatch";
import { endingsOf, FILE_TYPES } from "./file_types.ts";
import { SearchError } from "./search_error.ts";

/** Says whether a file is wanted: its name, its path below the searched place, its path as shown. */
export type PathFilter = (name: string, below: string, shown: string) => boolean;

/**
 * The filter of `glob` and `type`; undefined when there is none. A glob without a slash is for the file's name at any
 * depth, one with a slash for the path below the searched place or the workspace; `!` in front leaves out.
 * Throws a `SearchError` for an unknown type.
 */
export function compilePathFilter(
  glob: string | undefined,
  type: string | undefined,
): PathFilter | undefined {
  const filters: PathFilter[] = [];
  if (type !== undefined) {
    const endings = endingsOf(type);
    if (endings === undefined) {
      const known = Object.keys(FILE_TYPES).join(", ");
      throw new SearchError(`Unknown file type "${type}": use glob instead, or one of ${known}`);
    }
    filters.push((name) =>
      endings.some((ending) => ending.startsWith(".") ? name.endsWith(ending) : name === ending)
    );
  }
  if (glob !== undefined) {
    const negated = glob.startsWith("!") && !glob.startsWith("!(");
    const body = (negated ? glob.slice(1) : glob).replace(/^\.\//, "");
    const anywhere = !body.includes("/");
    const matches: (path: string) => boolean = picomatch(
      body.startsWith("/") ? body.slice(1) : body.endsWith("/") ? `${body}**` : body,
      {
        dot: true,
        strictSlashes: true,
      },
    );
    filters.push((name, below, shown) => {
      const hit = anywhere ? matches(name) : matches(below) || matches(shown);
      return hit !== negated;
    });
  }
  if (filters.length === 0) return undefined;
  return (name, below, shown) => filters.every((filter) => filter(name, below, shown));
}
