import { join } from "node:path";
import type { AppRootPaths } from "../../app_root/mod.ts";
import { LuminaError } from "../../base/mod.ts";
import type { LockdownReport } from "../../cli/mod.ts";
import type { LockdownMode } from "../../config/mod.ts";
import { createModel, ModelWorker } from "../../model/mod.ts";
import type { ModelOptions, OpenModel } from "../../model/mod.ts";
import type { CatalogTool, ToolCatalog } from "../../plugin_host/mod.ts";
import { runKeyHelper } from "../run_key_helper.ts";
import { sandboxProbe } from "../sandbox_available.ts";
import { revokePermissions } from "./revoke_permissions.ts";
import type { RunEnvironment } from "./run_environment.ts";
import { ToolLock } from "./tool_lock.ts";

export interface LockdownParts {
  modes: readonly LockdownMode[];
  app_root: AppRootPaths;
  /** Its real path. */
  workspace: string;
  /** True where the settings or the project have hooks. */
  hooks: boolean;
  /** Entry of the model's worker. */
  model_entry: URL;
  env: RunEnvironment;
}

/**
 * A run that gives up its privileges before its first request, as `pledge` does. Until `engage` everything that the run
 * may need is started with its own narrow permissions: the journal's worker, the model's, those of the tools. After
 * it the main process can read, and nothing else; what would need more is refused with a `lockdown.…` error.
 */
export class Lockdown {
  readonly modes: readonly LockdownMode[];
  readonly #parts: LockdownParts;
  /** Begun at once: it starts a process, and everything else goes on beside it. */
  readonly #probe: ReturnType<typeof sandboxProbe>;
  #worker: ModelWorker | undefined;
  #absent: LockdownReport["absent"] = [];
  #engaged = false;

  constructor(parts: LockdownParts) {
    this.#parts = parts;
    this.modes = parts.modes;
    this.#probe = sandboxProbe(parts.workspace);
    this.#probe.catch(() => {}); // told by `toolLock`
  }

  /** A model in the worker that alone has network. A replay needs none and stays here. */
  async model(options: ModelOptions): Promise<OpenModel> {
    if (options.primary.api_type === "replay") return createModel(options);
    if (this.#worker === undefined && this.#engaged) throw this.#refused("the address of another model");
    this.#worker ??= new ModelWorker(this.#parts.model_entry, options);
    return await this.#worker.open(options);
  }

  /** Key helpers are programs: they run before `engage` alone. Throws `lockdown.refused` after it. */
  readonly runKeyHelper: typeof runKeyHelper = async (command, options) => {
    if (this.#engaged) throw this.#refused("a key helper");
    return await runKeyHelper(command, options);
  };

  /** The limits of the tools, and the list of what this run lacks. To be called before `engage`. */
  async toolLock(catalog: ToolCatalog, keep: ToolLock["keep"]): Promise<ToolLock> {
    const { modes, workspace } = this.#parts;
    const probe = await this.#probe;
    const lock = new ToolLock({
      modes,
      workspace,
      carriedOutByHost: (tool) => catalog.carriedOutByHost(tool),
      bundled: new Set(catalog.plugins.map(({ id }) => id)),
      no_sandbox: probe.works ? undefined : probe.reason,
      keep,
    });
    this.#absent = [
      ...missingTools(catalog.tools, lock),
      ...this.#packs(),
      ...(this.#parts.hooks ? [{ what: "hooks", why: "a locked run starts nothing beside its tools" }] : []),
      { what: "rewind captures, meta.json, output files", why: "nothing is kept beside the journal" },
      ...(probe.works ? [{ what: "network for commands", why: "they run in the sandbox" }] : []),
    ];
    return lock;
  }

  get report(): LockdownReport {
    return { modes: [...this.modes], absent: this.#absent };
  }

  /** Gives up the permissions for good. Throws `lockdown.failed`. */
  engage(): void {
    this.#parts.env.freeze();
    revokePermissions();
    this.#engaged = true;
  }

  /** Ends the model's worker. */
  close(): void {
    this.#worker?.close();
  }

  #refused(what: string): LuminaError {
    return new LuminaError(
      "lockdown.refused",
      `This run is locked (${this.modes.join(", ")}) and cannot use ${what} any more: start a new run`,
    );
  }

  /** Packs that are there and do not run, by name. */
  #packs(): LockdownReport["absent"] {
    const { app_root, workspace } = this.#parts;
    const names = [app_root.userPluginsDir, join(workspace, ".Lumina", "plugins")].flatMap(directories);
    const why = "a locked run has no plugin that is not a part of the program";
    return names.length === 0 ? [] : [{ what: `plugins ${names.join(", ")}`, why }];
  }
}

/** The tools that are not there, those with the same reason together. */
function missingTools(tools: readonly CatalogTool[], lock: ToolLock): LockdownReport["absent"] {
  const by_reason = new Map<string, string[]>();
  for (const tool of tools) {
    const why = lock.absence(tool);
    if (why !== undefined) by_reason.set(why, [...by_reason.get(why) ?? [], tool.name]);
  }
  return [...by_reason].map(([why, names]) => ({ what: names.join(", "), why }));
}

function directories(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].filter((entry) => entry.isDirectory && !entry.name.startsWith("."))
      .map(({ name }) => name).sort().slice(0, 50);
  } catch {
    return []; // none there, or out of reach: nothing of it runs either way
  }
}
