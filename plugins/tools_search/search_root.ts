import { basename, isAbsolute, join, sep } from "node:path";
import { isWithinRoots } from "../../core/files/mod.ts";
import type { ToolContext } from "../../core/plugin_api/mod.ts";
import { SearchError } from "./search_error.ts";

/** Where a search starts. */
export interface SearchRoot {
  /** As named by the caller, absolute; what results are shown beneath. */
  path: string;
  /** With every link resolved: what is opened. */
  real: string;
  directory: boolean;
}

/**
 * Resolves the place to search and judges it: it must exist and, with its links followed, lie inside the call's read
 * roots, outside deny rules and outside `.git`. Throws a `SearchError` that says which of these failed.
 */
export function findSearchRoot(
  given: string,
  context: ToolContext,
  denied?: (path: string, directory: boolean) => boolean,
): SearchRoot {
  const path = isAbsolute(given) ? join(given) : join(context.cwd, given);
  const shown = JSON.stringify(given);
  let real: string;
  let info: Deno.FileInfo;
  try {
    real = Deno.realPathSync(path);
    info = isWithinRoots(real, context.read_roots) ? Deno.lstatSync(real) : refuse(shown);
  } catch (error) {
    if (error instanceof SearchError) throw error;
    if (error instanceof Deno.errors.NotCapable) return refuse(shown);
    const why = error instanceof Deno.errors.NotFound
      ? `does not exist (looked in ${context.cwd})`
      : error instanceof Deno.errors.PermissionDenied
      ? "may not be read: permission denied by the file system"
      : error instanceof Error && /ELOOP|too many levels|os error 40/i.test(error.message + error.name)
      ? "is a link that leads in a circle"
      : `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    throw new SearchError(`Cannot search ${shown}: it ${why}`);
  }
  if (denied !== undefined && isDeniedSomewhere(real, info.isDirectory, denied)) {
    throw new SearchError(`Cannot search ${shown}: a deny rule closes it`);
  }
  if (real.split(sep).includes(".git")) {
    throw new SearchError(
      `Cannot search ${shown}: the inside of .git is never searched; use git commands for it`,
    );
  }
  if (!info.isDirectory && !info.isFile) {
    throw new SearchError(`Cannot search ${shown}: it is neither a file nor a directory`);
  }
  return {
    path: path.length > 1 && path.endsWith(sep) ? path.slice(0, -1) : path,
    real,
    directory: info.isDirectory,
  };
}

function refuse(shown: string): never {
  throw new SearchError(
    `Cannot search ${shown}: it is outside the directories this call may read; ask the user to add its directory`,
  );
}

/** A deny rule that names a parent closes everything below it. */
function isDeniedSomewhere(
  real: string,
  directory: boolean,
  denied: (path: string, directory: boolean) => boolean,
): boolean {
  if (denied(real, directory)) return true;
  for (let at = real; at !== join(at, ".."); at = join(at, "..")) {
    if (basename(at) !== "" && at !== real && denied(at, true)) return true;
  }
  return false;
}

/** A path as results show it: relative to the workspace when inside it, else absolute. */
export function showPath(path: string, cwd: string): string {
  if (path === cwd) return ".";
  const prefix = cwd.endsWith(sep) ? cwd : cwd + sep;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

/** `path`, which lies below `root`, relative to it and with `/`. */
export function pathBelow(root: string, path: string): string {
  const below = path.slice(root.endsWith(sep) ? root.length : root.length + 1);
  return sep === "/" ? below : below.replaceAll(sep, "/");
}
