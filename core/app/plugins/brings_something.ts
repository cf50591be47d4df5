import { join } from "node:path";
import { projectSettingsFile } from "../../config/mod.ts";
import { hasHookFile } from "../hooks/hook_files.ts";

/** Whether a project has anything to look at: a few looks at the disk, for every start of a session. */
export function bringsSomething(root: string): boolean {
  return hasHookFile(root) || [join(root, ".Lumina", "plugins"), projectSettingsFile(root)].some((path) => {
    try {
      Deno.lstatSync(path);
      return true;
    } catch (error) {
      // anything but a plain absence is looked at, and told there
      return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory);
    }
  });
}
