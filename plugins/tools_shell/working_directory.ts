import { resolve } from "node:path";
import type { ToolContext } from "../../core/plugin_api/mod.ts";
import type { ShellSession } from "./shell_registry.ts";

/** Where a command starts, and what to tell when that is not where the last one ended. */
export interface StartDirectory {
  cwd: string;
  note?: string;
}

/**
 * The directory for the next command: the one the host names (`shell_cwd`), else where the session's last command
 * ended, as long as it exists and lies inside the roots; else the workspace.
 */
export async function startDirectory(session: ShellSession, context: ToolContext): Promise<StartDirectory> {
  const named = context.config["shell_cwd"];
  const wanted = typeof named === "string" ? named : session.cwd;
  if (wanted === undefined || wanted === context.cwd) return { cwd: context.cwd };
  if (isInside(wanted, context)) {
    try {
      const real = await Deno.realPath(wanted) === wanted;
      if (real && (await Deno.stat(wanted)).isDirectory) return { cwd: wanted };
    } catch (error) {
      // gone, or closed to this worker: the note says where the command runs instead
      if (!(error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotCapable)) throw error;
    }
  }
  delete session.cwd;
  return { cwd: context.cwd, note: `${wanted} is gone; the command ran in ${context.cwd}` };
}

/**
 * Keeps where a command ended for the next one. Outside the roots nothing is kept, and the note says so. Undefined
 * `ended` (the shell could not tell) changes nothing.
 */
export function keepDirectory(
  session: ShellSession,
  started: string,
  ended: string | undefined,
  context: ToolContext,
): string | undefined {
  if (ended === undefined || ended === started) {
    session.cwd = started;
    return undefined;
  }
  if (isInside(ended, context)) {
    session.cwd = ended;
    return `the working directory is now ${ended}`;
  }
  delete session.cwd;
  return `${ended} is outside the workspace: the next command starts in ${context.cwd} again`;
}

function isInside(path: string, context: ToolContext): boolean {
  // a folder that a command only claims to be in may be written in any way
  if (resolve(path) !== path) return false;
  return [context.cwd, ...context.read_roots].some((root) => path === root || path.startsWith(`${root}/`));
}
