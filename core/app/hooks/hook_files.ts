import { join } from "node:path";

/** Files of a project that may hold hooks: our own, and those that other agents have. */
export const HOOK_FILES = [
  ".Lumina/CONFIG/hooks.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
] as const;

/** True where a project has a file that may hold hooks: one look at the disk for each. */
export function hasHookFile(root: string): boolean {
  return HOOK_FILES.some((file) => {
    try {
      Deno.lstatSync(join(root, file));
      return true;
    } catch (error) {
      // anything but a plain absence is looked at, and told there
      return !(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory);
    }
  });
}
