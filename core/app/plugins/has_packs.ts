import { join } from "node:path";
import type { AppRootPaths, ProjectIdentity } from "../../app_root/mod.ts";

/** True when a folder for packs is there: a start without one loads nothing of what looks into it. */
export function hasPacks(app_root: AppRootPaths, project: ProjectIdentity | undefined): boolean {
  return isThere(app_root.userPluginsDir) ||
    (project !== undefined && isThere(join(project.root, ".Lumina", "plugins")));
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    // anything else than "not there" is told by whoever looks into it
    return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory);
  }
}
