import { delimiter, join } from "node:path";
import { isInside } from "../files/mod.ts";

/** Absolute real paths of programs by name. */
export type Programs = Readonly<Record<string, string>>;

/**
 * Finds programs on the PATH; what is absent is left out, and where there is no bash, `sh` stands in for it. A place
 * that is relative or lies inside the workspace does not count, be it a directory of the PATH or what a link in one
 * leads to: a repository must not bring its own `rg`. With the whole disk as workspace there is no such place.
 */
export function findPrograms(
  names: readonly string[],
  path: string | undefined,
  workspace: string,
): Programs {
  const own = (place: string) => workspace !== "/" && isInside(workspace, place);
  const directories = (path ?? "").split(delimiter).filter((directory) =>
    directory.startsWith("/") && !own(directory)
  );
  const find = (name: string) => {
    for (const directory of directories) {
      const file = executable(join(directory, name));
      if (file !== undefined && !own(file)) return file;
    }
    return undefined;
  };
  const programs: Record<string, string> = {};
  for (const name of names) {
    const found = find(name) ?? (name === "bash" ? find("sh") : undefined);
    if (found !== undefined) programs[name] = found;
  }
  return programs;
}

/** The real path of a file that can be run. */
function executable(file: string): string | undefined {
  try {
    const info = Deno.statSync(file);
    return info.isFile && ((info.mode ?? 0) & 0o111) !== 0 ? Deno.realPathSync(file) : undefined;
  } catch (error) {
    if (
      error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
      error instanceof Deno.errors.PermissionDenied
    ) return undefined;
    throw error;
  }
}
