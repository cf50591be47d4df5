import { dirname, join } from "node:path";
import { errorMessage, LuminaError } from "../../../base/mod.ts";
import { childEnvironment } from "../../../config/mod.ts";
import type { Settings } from "../../../config/mod.ts";
import type { AgentWorktree } from "../../../session/mod.ts";
import { findPrograms } from "../../program_paths.ts";

/** Where the worktrees of a project's sub-agents lie, below its root. */
export const WORKTREES = join(".Lumina", "worktrees");

/** Settings of a repository that would run programs of its own choice while a worktree is made or looked at. */
const NO_PROGRAMS = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];

/** Missing objects are not fetched: the repository says by which program. */
const NO_FETCH = { GIT_ALLOW_PROTOCOL: "none", GIT_NO_LAZY_FETCH: "1" };

/** What git-lfs installs. */
const GIT_LFS = /^git-lfs (clean -- %f|smudge -- %f|filter-process)$/;

/** How long one call of git may take, milliseconds. */
const GIT_MS = 120_000;

/** What worktrees need of a session or a command. */
export interface WorktreeParts {
  /** The project's folder, links resolved. */
  project_root: string;
  env: { get(name: string): string | undefined; toObject(): Record<string, string> };
  settings(): Settings;
}

/** A worktree with the folder in it that stands for the session's own. */
export type OpenWorktree = AgentWorktree & { workspace: string };

/** The worktrees of one project. */
export class Worktrees {
  readonly #parts: WorktreeParts;
  readonly #root: string;
  /** git guards its files by locks that fail at once: one call after the other. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(parts: WorktreeParts) {
    this.#parts = parts;
    this.#root = parts.project_root;
  }

  /**
   * Makes a worktree on a branch `lumina/<id>` that begins at the present commit; git does not show its folder as a change.
   * Throws `agent.worktree` where there is no repository with a commit, or git fails.
   */
  async add(id: string, signal: AbortSignal): Promise<OpenWorktree> {
    const path = join(this.#root, WORKTREES, id);
    const branch = `lumina/${id}`;
    const prefix = await this.#git(this.#root, ["rev-parse", "--show-prefix"], signal);
    if (prefix === undefined) {
      throw new LuminaError("agent.worktree", `Cannot make a worktree: ${this.#root} is no git repository`);
    }
    if (
      await this.#git(this.#root, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], signal) === undefined
    ) {
      throw new LuminaError("agent.worktree", "Cannot make a worktree: the repository has no commit yet");
    }
    await this.#assertNoPrograms(signal);
    await this.#exclude(signal);
    const folder = join(this.#root, WORKTREES);
    await Deno.mkdir(folder, { recursive: true });
    if (await Deno.realPath(folder) !== folder) {
      throw new LuminaError("agent.worktree", `Cannot make a worktree: ${folder} is a link to another place`);
    }
    await this.#must(this.#root, ["worktree", "add", "--quiet", "-b", branch, path], signal);
    return { path, branch, workspace: await Deno.realPath(join(path, prefix.trim())) };
  }

  /** The folder in an earlier worktree that stands for the session's own. Throws `agent.worktree` when it is gone. */
  async open({ path, branch }: AgentWorktree, signal: AbortSignal): Promise<OpenWorktree> {
    const prefix = await this.#git(this.#root, ["rev-parse", "--show-prefix"], signal);
    try {
      return { path, branch, workspace: await Deno.realPath(join(path, prefix?.trim() ?? "")) };
    } catch (error) {
      throw new LuminaError("agent.worktree", `The worktree ${path} cannot be used: ${errorMessage(error)}`);
    }
  }

  /**
   * Removes a worktree and its branch when nothing in it is lost by that: no change, no file that is not ignored, no commit
   * of its own. True when it is gone; what cannot be looked at stays.
   */
  async removeClean({ path, branch }: AgentWorktree, signal: AbortSignal): Promise<boolean> {
    const status = await this.#git(path, ["status", "--porcelain", "--untracked-files=all"], signal);
    if (status === undefined || status.trim() !== "") return false;
    const others = ["--single-worktree", `--exclude=refs/heads/${branch}`, "--all"];
    const own = await this.#git(this.#root, ["rev-list", "--count", branch, "--not", ...others], signal);
    const head = await this.#git(path, ["symbolic-ref", "--short", "HEAD"], signal);
    if (own?.trim() !== "0" || head?.trim() !== branch) return false;
    if (await this.#git(this.#root, ["worktree", "remove", path], signal) === undefined) return false;
    return await this.#git(this.#root, ["branch", "--quiet", "-d", "--force", branch], signal) !== undefined;
  }

  /** The worktrees that are there, with the branch of each. Empty where there is no repository. */
  async list(signal: AbortSignal): Promise<AgentWorktree[]> {
    const told = await this.#git(this.#root, ["worktree", "list", "--porcelain"], signal) ?? "";
    const folder = join(this.#root, WORKTREES);
    return told.split("\n\n").flatMap((entry) => {
      const path = /^worktree (.*)$/m.exec(entry)?.[1];
      const branch = /^branch refs\/heads\/(.*)$/m.exec(entry)?.[1];
      return path === undefined || branch === undefined || dirname(path) !== folder ? [] : [{ path, branch }];
    });
  }

  /** Filters that the repository itself names would run while its files are written. */
  async #assertNoPrograms(signal: AbortSignal): Promise<void> {
    const named = String.raw`^filter\..*\.(smudge|clean|process)$`;
    const filters: string[] = [];
    // a new worktree takes over what is set for the one that it is made from
    for (const scope of ["--local", "--worktree"]) {
      const args = ["config", scope, "--includes", "--get-regexp", named];
      const lines = (await this.#git(this.#root, args, signal) ?? "").split("\n");
      filters.push(...lines.filter((line) => line !== ""));
    }
    const strange = filters.find((line) => !GIT_LFS.test(line.replace(/^\S+ /, "")));
    if (strange === undefined) return;
    throw new LuminaError(
      "agent.worktree",
      `Cannot make a worktree: the repository's own settings name a program (${strange.slice(0, 200)})`,
    );
  }

  /** Keeps git from showing the folder as a change, by the repository's own list that is no part of it. */
  async #exclude(signal: AbortSignal): Promise<void> {
    const common = await this.#must(
      this.#root,
      ["rev-parse", "--path-format=absolute", "--git-common-dir"],
      signal,
    );
    const file = join(common.trim(), "info", "exclude");
    const line = `**/${WORKTREES}/`;
    let text = "";
    try {
      text = await Deno.readTextFile(file);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    if (text.split("\n").includes(line)) return;
    await Deno.mkdir(dirname(file), { recursive: true });
    await Deno.writeTextFile(file, `${text === "" || text.endsWith("\n") ? text : `${text}\n`}${line}\n`);
  }

  async #must(cwd: string, args: string[], signal: AbortSignal): Promise<string> {
    const done = await this.#run(cwd, args, signal);
    if (done.code === 0) return done.out;
    const why = done.err.trim().split("\n").at(-1) ?? "";
    throw new LuminaError("agent.worktree", `Cannot make a worktree: git ${args[0]}: ${why}`);
  }

  /** Undefined when git says no. */
  async #git(cwd: string, args: string[], signal: AbortSignal): Promise<string | undefined> {
    const done = await this.#run(cwd, args, signal);
    return done.code === 0 ? done.out : undefined;
  }

  #run(
    cwd: string,
    args: string[],
    signal: AbortSignal,
  ): Promise<{ code: number; out: string; err: string }> {
    const mine = this.#before.then(() => this.#call(cwd, args, signal));
    this.#before = mine.catch(() => {}); // told to the one who asked
    return mine;
  }

  async #call(
    cwd: string,
    args: string[],
    signal: AbortSignal,
  ): Promise<{ code: number; out: string; err: string }> {
    const { env, settings } = this.#parts;
    const git = findPrograms(["git"], env.get("PATH"), this.#root)["git"];
    if (git === undefined) {
      throw new LuminaError("agent.worktree", "Cannot make a worktree: git was not found on the PATH");
    }
    const child = new Deno.Command(git, {
      args: [...NO_PROGRAMS, ...args],
      cwd,
      clearEnv: true,
      env: { ...childEnvironment(env, settings()), ...NO_FETCH },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      signal: AbortSignal.any([signal, AbortSignal.timeout(GIT_MS)]),
    });
    let output: Deno.CommandOutput;
    try {
      output = await child.output();
    } catch (error) {
      throw new LuminaError("agent.worktree", `git cannot run in ${cwd}: ${errorMessage(error)}`);
    }
    signal.throwIfAborted();
    const text = new TextDecoder();
    return { code: output.code, out: text.decode(output.stdout), err: text.decode(output.stderr) };
  }
}
