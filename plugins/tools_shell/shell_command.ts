import { basename } from "node:path";
import type { ToolContext } from "../../core/plugin_api/mod.ts";
import { deniedPlaces } from "./denied_places.ts";
import { isLocked, prepareLocked } from "./locked_command.ts";
import { MAX_COMMAND_BYTES, type PreparedCommand } from "./prepared_command.ts";
import { PLAIN_WRAPPER, PRELUDE } from "./prelude.ts";
import { sandboxWords } from "./sandbox_plan.ts";
import { SANDBOX_SCRIPT } from "./sandbox_script.ts";

const PRELUDE_NAME = "shell_prelude.sh";
const TMP_NAME = "tmp";

/**
 * Wraps `command` for the shell, and for the sandbox where the call asks for it. `marker` goes into the environment, so
 * that processes which leave their group are still known as ours. Throws an Error in one line when the host gave no
 * shell, no sandbox where one is asked for, or the command cannot be passed to a program at all.
 */
export async function prepareCommand(
  command: string,
  cwd: string,
  marker: string,
  context: ToolContext,
): Promise<PreparedCommand> {
  if (command.includes("\0")) throw new Error("The command holds a NUL character; remove it");
  const bytes = new TextEncoder().encode(command).length;
  if (bytes > MAX_COMMAND_BYTES) {
    throw new Error(
      `The command has ${bytes} bytes, at most ${MAX_COMMAND_BYTES} fit; write it to a file and run that`,
    );
  }
  if (isLocked(context)) {
    return await prepareLocked(command, cwd, { ...context.child_env, ...markerVariable(marker) }, context);
  }
  const shell = shellPath(context);
  const bash = basename(shell) === "bash";
  const env: Record<string, string> = { ...context.child_env, ...markerVariable(marker) };
  const inner = bash ? [shell, "-o", "pipefail", "-c", command] : [shell, "-c", command];
  const prelude = bash ? await writePrelude(context.spill_dir) : undefined;

  if (context.confinement?.level !== "closed") {
    if (prelude === undefined) {
      return { program: shell, args: ["-c", PLAIN_WRAPPER, "sh", ...inner], env, notes: [] };
    }
    return { program: shell, args: inner.slice(1), env: { ...env, BASH_ENV: prelude }, notes: [] };
  }

  const bwrap = context.config["bwrap_path"];
  if (typeof bwrap !== "string" || !bash) {
    throw new Error("Commands must run in the sandbox, which needs bubblewrap and bash; nothing was run");
  }
  const tmp_dir = `${context.spill_dir}/${TMP_NAME}`;
  await Deno.mkdir(tmp_dir, { recursive: true, mode: 0o700 });
  const denied = await deniedPlaces(context);
  const hide = context.config["sandbox_hide"];
  const words = sandboxWords({
    cwd,
    write_roots: context.write_roots,
    read_roots: [...context.read_roots, context.spill_dir],
    hide: [...(Array.isArray(hide) ? hide.filter((path) => typeof path === "string") : []), ...denied.hide],
    lock: denied.lock,
    home: context.child_env["HOME"],
    tmp_dir,
  });
  words.push("arg", "--setenv", "arg", "BASH_ENV", "arg", prelude!);
  return {
    program: shell,
    args: ["-c", SANDBOX_SCRIPT, "bash", bwrap, ...words, "--", ...inner],
    env: "TMPDIR" in env ? { ...env, TMPDIR: "/tmp" } : env,
    notes: denied.complete
      ? []
      : ["the workspace is too large to look for every file that deny rules close; fixed paths are closed"],
  };
}

/** The shell the host found for us. Throws when it found none. */
export function shellPath(context: ToolContext): string {
  const path = context.config["bash_path"];
  if (typeof path !== "string") throw new Error("No shell was found on this machine; install bash");
  return path;
}

/** The variable that marks a process as started by us; see `endTree`. */
export function markerVariable(marker: string): Record<string, string> {
  const at = marker.indexOf("=");
  return { [marker.slice(0, at)]: marker.slice(at + 1) };
}

/** Writes the prelude anew for each command: a file that an earlier command may have changed is not trusted. */
async function writePrelude(spill_dir: string): Promise<string> {
  const path = `${spill_dir}/${PRELUDE_NAME}`;
  let present = "";
  try {
    present = await Deno.readTextFile(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  if (present !== PRELUDE) await Deno.writeTextFile(path, PRELUDE, { mode: 0o600 });
  return path;
}
