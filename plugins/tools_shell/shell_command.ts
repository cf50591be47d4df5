import { basename } from "node:path";
import type { ToolContext } from "../../core/plugin_api/mod.ts";
import { bridgeCommand, proxyWords } from "./bridge_command.ts";
import { closedWords, TREE_TOO_LARGE } from "./closed_words.ts";
import { guardedArguments } from "./guarded_plan.ts";
import { isLocked, prepareLocked } from "./locked_command.ts";
import { MAX_COMMAND_BYTES, type PreparedCommand } from "./prepared_command.ts";
import { PLAIN_WRAPPER, PRELUDE } from "./prelude.ts";
import { sandboxConfig } from "./sandbox_config.ts";
import { seatbeltArguments } from "./seatbelt_command.ts";
import { SANDBOX_SCRIPT } from "./sandbox_script.ts";

const PRELUDE_NAME = "shell_prelude.sh";
const TMP_NAME = "tmp";
const EMPTY_NAME = "empty";

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

  const { level = "none" } = context.confinement ?? {};
  const plain = prelude === undefined
    ? { command: [shell, "-c", PLAIN_WRAPPER, "sh", ...inner], env }
    : { command: inner, env: { ...env, BASH_ENV: prelude } };
  if (level === "none") {
    const [program = shell, ...args] = plain.command;
    return { program, args, env: plain.env, notes: [] };
  }
  const { bwrap_path: bwrap, "sandbox-exec_path": seatbelt } = context.config;
  if (Deno.build.os === "darwin" && typeof seatbelt === "string") {
    const tmp_dir = `${context.spill_dir}/${TMP_NAME}`;
    await Deno.mkdir(tmp_dir, { recursive: true, mode: 0o700 });
    const args = [...await seatbeltArguments(level, tmp_dir, context), ...plain.command];
    const own_tmp = level === "closed" ? { TMPDIR: tmp_dir } : {};
    return { program: seatbelt, args, env: { ...plain.env, ...own_tmp }, notes: [] };
  }
  if (typeof bwrap !== "string" || (level === "closed" && prelude === undefined)) {
    throw new Error("Commands must run in the sandbox, which needs bubblewrap and bash; nothing was run");
  }
  if (level === "guarded") {
    const args = [...await guardedPlan(cwd, context), ...plain.command];
    return { program: bwrap, args, env: plain.env, notes: [] };
  }
  return await closedCommand({ bwrap, shell, inner, prelude: prelude ?? "", cwd, env }, context);
}

/** What stands before the command of a guarded call. */
async function guardedPlan(cwd: string, context: ToolContext): Promise<string[]> {
  const { secrets, hide, pinned, open } = sandboxConfig(context);
  return guardedArguments({
    cwd,
    roots: [
      ...open.map((path) => ({ path, write: true })),
      ...context.write_roots.map((path) => ({ path, write: true })),
      ...[...context.read_roots, context.spill_dir].map((path) => ({ path, write: false })),
    ],
    hidden: [...secrets, ...hide],
    pinned,
    read_only: context.write_roots.length === 0,
    empty_file: await emptyFile(context.spill_dir),
  });
}

/** The parts of a command for the closed sandbox. */
interface ClosedParts {
  bwrap: string;
  shell: string;
  inner: string[];
  prelude: string;
  cwd: string;
  env: Record<string, string>;
}

async function closedCommand(parts: ClosedParts, context: ToolContext): Promise<PreparedCommand> {
  const { bwrap, shell, inner, prelude, cwd, env } = parts;
  const { proxy } = sandboxConfig(context);
  const tmp_dir = `${context.spill_dir}/${TMP_NAME}`;
  await Deno.mkdir(tmp_dir, { recursive: true, mode: 0o700 });
  const { words, complete } = await closedWords(cwd, context, tmp_dir);
  if (proxy === undefined) words.push("arg", "--setenv", "arg", "BASH_ENV", "arg", prelude);
  else words.push(...proxyWords(proxy));
  return {
    program: shell,
    args: [
      ...["-c", SANDBOX_SCRIPT, "bash", bwrap, ...words, "--"],
      ...(proxy === undefined ? [] : bridgeCommand(shell, prelude, proxy)),
      ...inner,
    ],
    env: "TMPDIR" in env ? { ...env, TMPDIR: "/tmp" } : env,
    notes: complete ? [] : [TREE_TOO_LARGE],
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

/** An empty file, made anew where an earlier command has changed it. */
async function emptyFile(spill_dir: string): Promise<string> {
  const path = `${spill_dir}/${EMPTY_NAME}`;
  try {
    const info = await Deno.lstat(path);
    if (info.isFile && info.size === 0) return path;
    await Deno.remove(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  await Deno.writeTextFile(path, "", { mode: 0o400 });
  return path;
}
