import { delimiter, join } from "node:path";
import { isInside } from "../files/mod.ts";

/**
 * The absolute real path of a program on the PATH; undefined when there is none. A directory of the PATH that is
 * relative or lies inside the workspace does not count: a repository must not bring its own `rg`.
 */
function findProgram(name: string, path: string | undefined, workspace: string): string | undefined {
  for (const directory of (path ?? "").split(delimiter)) {
    if (!directory.startsWith("/") || isInside(workspace, directory)) continue;
    const file = join(directory, name);
    try {
      const info = Deno.statSync(file);
      if (info.isFile && ((info.mode ?? 0) & 0o111) !== 0) return Deno.realPathSync(file);
    } catch (error) {
      if (
        !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory ||
          error instanceof Deno.errors.PermissionDenied)
      ) throw error;
    }
  }
  return undefined;
}

/** The programs that bundled tools run. */
export interface Programs {
  /** `sh` where there is no bash. */
  bash?: string;
  bwrap?: string;
  rg?: string;
}

/** Finds them on the PATH; what is absent is left out. */
export function findPrograms(path: string | undefined, workspace: string): Programs {
  const programs: Programs = {};
  for (const name of ["bash", "bwrap", "rg"] as const) {
    const found = findProgram(name, path, workspace);
    if (found !== undefined) programs[name] = found;
  }
  const sh = programs.bash === undefined ? findProgram("sh", path, workspace) : undefined;
  if (sh !== undefined) programs.bash = sh;
  return programs;
}
