import process from "node:process";
import { LuminaError } from "../../base/mod.ts";

/** What the main process of a locked run gives up, whole. Reading stays: settings, instructions and lists are read. */
const KINDS = ["write", "net", "run", "env", "sys", "ffi"] as const;

/**
 * Gives up every permission but reading, for good: no thread that starts later can have one either. A library that looks
 * for a switch of its own in the environment (the one for YAML does) finds it empty then, and does not fail. Throws
 * `lockdown.failed` when the runtime kept one.
 */
export function revokePermissions(): void {
  for (const name of KINDS) {
    const { state } = Deno.permissions.revokeSync({ name });
    // "prompt" is a no as well: the program runs with --no-prompt
    if (state === "granted") {
      throw new LuminaError(
        "lockdown.failed",
        `Cannot lock the run: the runtime did not give up "${name}"; start without --lockdown, or under the OS's own sandbox`,
      );
    }
  }
  Object.defineProperty(process, "env", { value: {}, configurable: true, writable: true });
}
