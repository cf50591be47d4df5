import { isInside } from "../../files/mod.ts";
import type { LockdownMode } from "../../config/mod.ts";
import { LuminaError } from "../../base/mod.ts";
import type { ToolManifest } from "../../plugin_api/mod.ts";
import type { CatalogTool } from "../../plugin_host/mod.ts";
import type { Verdict } from "../../types/mod.ts";

/** What tools may do in a locked run. Paths are real paths. */
export interface ToolLockParts {
  modes: readonly LockdownMode[];
  workspace: string;
  /** Plugins that are a part of the program; no other runs. */
  bundled: ReadonlySet<string>;
  /** True for a tool that Lumina's own process carries out: it reaches nothing once it has given up the network. */
  carriedOutByHost(tool: CatalogTool): boolean;
  /** Why commands cannot be sandboxed here; undefined when they can. */
  no_sandbox: string | undefined;
  /** Keeps the whole of an output that is too long to show, in the journal; says where. */
  keep(call_id: string, content: string): Promise<string>;
}

/**
 * The limits of a locked run as the tools see them. A command runs under the OS sandbox alone, without network and with
 * the same places to write as any other tool; no tool starts a program beside that.
 */
export class ToolLock {
  readonly #parts: ToolLockParts;

  constructor(parts: ToolLockParts) {
    this.#parts = parts;
  }

  get keep(): ToolLockParts["keep"] {
    return this.#parts.keep;
  }

  /** The folders of `roots` (the workspace and what was added to it) that tools may write in. */
  writeRoots(roots: readonly string[]): string[] {
    const { modes, workspace } = this.#parts;
    if (modes.includes("read-only")) return [];
    return modes.includes("workspace") ? [workspace] : [...roots];
  }

  /** Why a tool is not there; undefined when it is. */
  absence(tool: CatalogTool): string | undefined {
    const { modes, bundled, no_sandbox } = this.#parts;
    if (!bundled.has(tool.plugin)) return "a locked run has no plugin that is not a part of the program";
    const wants = (kind: CatalogTool["capabilities"][number]) => tool.capabilities.includes(kind);
    if (wants("fs.write") && modes.includes("read-only")) return "nothing is written";
    if (wants("net") && modes.includes("offline")) return "nothing but the model is reached";
    if (wants("net") && this.#parts.carriedOutByHost(tool)) return "Lumina itself has no network any more";
    if (wants("run") && no_sandbox !== undefined) return `commands need the sandbox: ${no_sandbox}`;
    return undefined;
  }

  /** Throws `lockdown.write` when the call would write outside of `write_roots`. */
  assertWrites(tool: ToolManifest, verdict: Verdict, write_roots: readonly string[]): void {
    if (tool.capabilities.includes("run")) return; // the sandbox knows the same folders
    const far = verdict.paths.find(({ access, resolved }) =>
      access === "write" && !write_roots.some((root) => isInside(root, resolved))
    );
    if (far === undefined) return;
    throw new LuminaError(
      "lockdown.write",
      `${tool.name} would write ${far.resolved}, and this locked run (${
        this.#parts.modes.join(", ")
      }) writes in ${write_roots.join(", ") || "no folder"} alone`,
    );
  }
}
