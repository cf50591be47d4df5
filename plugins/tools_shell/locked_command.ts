import type { ToolContext } from "../../core/plugin_api/mod.ts";
import { closedWords, TREE_TOO_LARGE } from "./closed_words.ts";
import { LOCKED_PRELUDE } from "./prelude.ts";
import { SANDBOX_SCRIPT } from "./sandbox_script.ts";
import { MAX_COMMAND_BYTES, type PreparedCommand } from "./prepared_command.ts";

/** True in a run where the worker may start bubblewrap alone and write nothing. */
export function isLocked(context: ToolContext): boolean {
  return context.config["locked"] === true;
}

/**
 * A command in the sandbox of a locked run. bubblewrap is the only program that is started: what is to be hidden is
 * found out by the shell in a sandbox of its own, where nothing can be written. `/tmp` is memory that ends with the
 * command. Throws an Error in one line when there is no sandbox, or it cannot be prepared.
 */
export async function prepareLocked(
  command: string,
  cwd: string,
  env: Record<string, string>,
  context: ToolContext,
): Promise<PreparedCommand> {
  const { bwrap_path: bwrap, bash_path: bash } = context.config;
  if (typeof bwrap !== "string" || typeof bash !== "string") {
    throw new Error("Commands of a locked run need bubblewrap and bash; nothing was run");
  }
  const text = LOCKED_PRELUDE + command;
  if (new TextEncoder().encode(text).length > MAX_COMMAND_BYTES) {
    throw new Error("The command is too long for a locked run; write it to a file and run that");
  }
  const { words, complete } = await closedWords(cwd, context, undefined);
  const plan = await plannedArguments(bwrap, bash, words);
  return {
    program: bwrap,
    args: [...plan, "--", bash, "-o", "pipefail", "-c", text],
    env: "TMPDIR" in env ? { ...env, TMPDIR: "/tmp" } : env,
    notes: complete ? [] : [TREE_TOO_LARGE],
  };
}

/** Runs {@link SANDBOX_SCRIPT} under a read-only sandbox and takes the arguments that it has put together. */
async function plannedArguments(bwrap: string, bash: string, words: readonly string[]): Promise<string[]> {
  const { success, stdout, stderr } = await new Deno.Command(bwrap, {
    args: [
      ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
      ...["--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL", "--die-with-parent", "--new-session"],
      ...["--", bash, "-c", SANDBOX_SCRIPT, "bash", "-", ...words, "--"],
    ],
    cwd: "/",
    clearEnv: true,
    env: { PATH: "/usr/bin:/bin" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  if (!success) {
    const why = decoder.decode(stderr).trim().split("\n")[0];
    throw new Error(
      `The sandbox could not be prepared, so nothing was run: ${why || "bwrap gave no reason"}`,
    );
  }
  return decoder.decode(stdout).split("\0").slice(0, -1);
}
