import { existsSync } from "node:fs";

/** True when a folder stands at `path`, links followed. False when it cannot be looked at. */
export function isDirectory(path: string): boolean {
  try {
    return existsSync(path) && Deno.statSync(path).isDirectory;
  } catch {
    return false; // missing or closed to this process
  }
}
