import { relative, sep } from "node:path";
import { isInside } from "../files/mod.ts";
import type { Captured, Workspace } from "./capture_workspace.ts";

/**
 * Decides what must be captured as a session goes on: everything before the first write of a run and around commands,
 * only the named path between file tools. Calls come one after the other.
 */
export class RunRecorder {
  readonly #workspace: () => Workspace;
  readonly #root: string;
  /** What may have changed since the last capture: everything, or these paths. */
  #changed: "everything" | Set<string> = "everything";
  /** Something may have been written in this run. */
  #wrote = false;
  /** A command has run in this run: what it left running may write at any time. */
  #commanded = false;
  #last: string | undefined;

  /** `workspace` is opened at the first capture. */
  constructor(root: string, workspace: () => Workspace) {
    this.#root = root;
    this.#workspace = workspace;
  }

  /** A run begins: a person may have changed anything since the last one. */
  begin(): void {
    this.#changed = "everything";
    this.#wrote = false;
    this.#commanded = false;
  }

  /** Before a file tool writes these paths (absolute, resolved); undefined when none lies in the workspace. */
  async beforeWrite(paths: readonly string[], signal: AbortSignal): Promise<Captured | undefined> {
    const inside = paths.filter((path) => path !== this.#root && isInside(this.#root, path))
      .map((path) => relative(this.#root, path).split(sep).join("/"));
    if (inside.length === 0) return undefined;
    try {
      return await this.#capture(inside, signal);
    } finally {
      if (this.#changed !== "everything") { for (const path of inside) this.#changed.add(path); }
      this.#wrote = true;
    }
  }

  /** Before a command that may write anything. */
  async beforeCommand(signal: AbortSignal): Promise<Captured> {
    try {
      return await this.#capture([], signal);
    } finally {
      this.#wrote = true;
      this.#commanded = true;
      this.#changed = "everything";
    }
  }

  /** What the run left; undefined when it wrote nothing. */
  async end(signal: AbortSignal): Promise<Captured | undefined> {
    return this.#wrote ? await this.#capture([], signal) : undefined;
  }

  async #capture(paths: readonly string[], signal: AbortSignal): Promise<Captured> {
    const changed = this.#changed;
    const captured = await this.#workspace().capture({
      ...(changed === "everything" || this.#commanded ? {} : { paths: new Set([...changed, ...paths]) }),
      ...(this.#last === undefined ? {} : { known: [this.#last] }),
      signal,
    });
    this.#last = captured.snapshot;
    this.#changed = new Set();
    return captured;
  }
}
