import { join } from "node:path";
import { errorMessage } from "../../base/mod.ts";
import { mib, PACK_LIMITS } from "./entry_list.ts";
import { PackProblem } from "./pack_problem.ts";

/** How often what has come is looked at, milliseconds. */
const WATCH_MS = 500;

/** What a repository must not decide: no hooks, no helpers, no other protocol than the one asked for, nothing in the background. */
const SETTINGS = [
  `core.hooksPath=${Deno.build.os === "windows" ? "NUL" : "/dev/null"}`,
  "credential.helper=",
  "fetch.fsckObjects=true",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.allow=never",
];

export interface GitOptions {
  /** Absolute path of the program. */
  program: string;
  /** The whole environment of it. */
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

/**
 * Fetches one commit of a repository into `folder` and writes its tree as a tar archive to `file`. Nothing is checked out: no
 * hook, filter or link of the repository comes to anything, submodules stay empty folders, and the archive is judged like any
 * other. Throws `PackProblem`.
 */
export async function fetchGit(
  { url, ref }: { url: URL; ref?: string },
  options: GitOptions,
  folder: string,
  file: string,
): Promise<void> {
  const scheme = url.protocol.slice(0, -1);
  const settings = [...SETTINGS, `protocol.${scheme}.allow=always`].flatMap((each) => ["-c", each]);
  const too_large = new AbortController();
  const signal = AbortSignal.any([options.signal, too_large.signal]);
  const git = (args: string[], sink?: (bytes: Uint8Array) => Promise<void>) =>
    run({ ...options, signal }, [...settings, ...args], sink);
  // git has no limit of its own on what a server sends
  const look = () => {
    if (bytesBelow(folder) > PACK_LIMITS.archive_bytes) too_large.abort(tooLarge());
  };
  await git(["init", "--quiet", "--bare", "--template=", folder]);
  const repository = ["--git-dir", folder];
  const fetching = ["fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules", "--no-auto-gc"];
  const watch = setInterval(look, WATCH_MS);
  try {
    await git([...repository, ...fetching, "--", url.href, ref ?? "HEAD"]);
  } finally {
    clearInterval(watch);
  }
  look();
  signal.throwIfAborted();
  using archive = await Deno.open(file, { write: true, createNew: true, mode: 0o600 });
  let total = 0;
  await git([...repository, "archive", "--format=tar", "FETCH_HEAD"], async (bytes) => {
    total += bytes.length;
    if (total > PACK_LIMITS.archive_bytes) throw tooLarge();
    for (let sent = 0; sent < bytes.length;) sent += await archive.write(bytes.subarray(sent));
  });
}

function tooLarge(): PackProblem {
  return new PackProblem(`it has more than ${mib(PACK_LIMITS.archive_bytes)}`);
}

/** Bytes of all files below a folder, some of which may just be going. */
function bytesBelow(folder: string): number {
  let bytes = 0;
  try {
    for (const { name, isDirectory } of Deno.readDirSync(folder)) {
      const path = join(folder, name);
      bytes += isDirectory ? bytesBelow(path) : Deno.lstatSync(path).size;
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return bytes;
}

/** The environment of git: the given one, without what a person's own settings would add. */
export function gitEnvironment(base: Readonly<Record<string, string>>): Record<string, string> {
  const nowhere = Deno.build.os === "windows" ? "NUL" : "/dev/null";
  return {
    ...base,
    GIT_CONFIG_GLOBAL: nowhere,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_REPLACE_OBJECTS: "1",
    LC_ALL: "C",
  };
}

async function run(
  { program, env, signal }: GitOptions,
  args: readonly string[],
  sink?: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  signal.throwIfAborted();
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, {
      args: [...args],
      env: { ...env },
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch (cause) {
    throw new PackProblem(`git cannot be started: ${errorMessage(cause)}`, { code: "plugin.git", cause });
  }
  const kill = () => {
    try {
      child.kill("SIGKILL");
    } catch {
      // it has ended already
    }
  };
  signal.addEventListener("abort", kill, { once: true });
  const errors = new Response(child.stderr).text();
  try {
    for await (const bytes of child.stdout) await sink?.(bytes);
  } catch (error) {
    kill();
    throw error;
  } finally {
    await Promise.all([child.status, errors]);
    signal.removeEventListener("abort", kill);
  }
  const { success, code } = await child.status;
  signal.throwIfAborted();
  if (success) return;
  const lines = (await errors).split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const line = lines.find((line) => /^(fatal|error):/.test(line)) ?? lines.at(-1) ?? `exit code ${code}`;
  throw new PackProblem(`git says: ${line.replace(/^(fatal|error): /, "")}`, { code: "plugin.git" });
}
