import { errorMessage } from "../../base/mod.ts";
import { readExit } from "../../extension/mod.ts";
import type { CommandHook } from "../../extension/mod.ts";
import type { HookInput, HookReply } from "../../types/mod.ts";
import { runProgram } from "./run_program.ts";

/** What commands of hooks are run with. */
export interface CommandScope {
  /** The workspace: hooks start there. */
  project_dir: string;
  /** A shell outside of the workspace; undefined where there is none. */
  shell: string | undefined;
  /** The environment of child processes. */
  env: Readonly<Record<string, string>>;
  /** A file that a hook of SessionStart may write variables into. */
  env_file: string;
}

/** Runs a command with the input on its standard input. Throws the signal's reason alone. */
export async function runCommandHook(
  hook: CommandHook,
  input: HookInput,
  scope: CommandScope,
  signal: AbortSignal,
): Promise<HookReply> {
  const { project_dir } = scope;
  const env = {
    ...scope.env,
    CLAUDE_PROJECT_DIR: project_dir,
    LUMINA_PROJECT_DIR: project_dir,
    ...(input.hook_event_name === "SessionStart" ? { CLAUDE_ENV_FILE: scope.env_file } : {}),
  };
  const direct = hook.args !== undefined;
  if (!direct && scope.shell === undefined) return { kind: "error", message: "there is no shell to run it" };
  const place = (text: string) => text.replaceAll(/\$\{(?:CLAUDE|LUMINA)_PROJECT_DIR\}/g, () => project_dir);
  try {
    const end = await runProgram({
      program: direct ? place(hook.command) : scope.shell ?? "",
      args: direct ? (hook.args ?? []).map(place) : ["-c", hook.command],
      cwd: project_dir,
      env,
      stdin: `${JSON.stringify(input)}\n`,
    }, signal);
    return readExit(end);
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "error", message: `cannot be started: ${errorMessage(error)}` };
  }
}
