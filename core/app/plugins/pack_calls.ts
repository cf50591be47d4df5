import { join } from "node:path";
import type { BesideUse, ToolRun } from "../../agent/mod.ts";
import { LuminaError } from "../../base/mod.ts";
import { everythingBelow } from "../../files/mod.ts";
import type { CallContext, PackLimits, ToolManifest, ToolOutcome } from "../../plugin_api/mod.ts";
import { DEFAULT_LIMITS, ServiceError } from "../../plugin_api/mod.ts";
import { hookAsTool } from "../../plugin_host/mod.ts";
import type { Pack, PackCall, PackHook } from "../../plugin_host/mod.ts";
import type { CrashInfo, ProcessTier, QuotaTrip } from "../../plugin_host/process/mod.ts";
import type { Session } from "../../session/mod.ts";
import type { JsonObject, RunEvent } from "../../types/mod.ts";
import type { Programs } from "../program_paths.ts";
import type { PackServiceDeps, RunServices } from "./pack_services.ts";

/** What the session says of each call. Paths are real paths. */
export interface PackCallScope {
  workspace: string;
  roots: readonly string[];
  app_root: string;
  home: string;
  deny: { read: readonly string[]; write: readonly string[] };
  /** What is refused or asked about: a folder with any of it in it is not granted as a whole. */
  closed: { read: readonly string[]; write: readonly string[] };
  programs: Programs;
}

/**
 * Runs the tools and hooks of packs for one session: each in processes of its own, with what its call may touch and nothing else.
 * What runs them is loaded with the first call.
 */
export class PackCalls {
  readonly #session: Session;
  readonly #limits: () => Partial<PackLimits>;
  readonly #variable: (name: string) => string | undefined;
  #tier: Promise<ProcessTier> | undefined;
  #deps: (() => Promise<PackServiceDeps>) | undefined;
  #services: Promise<RunServices> | undefined;
  #made: RunServices | undefined;
  #emit: (event: RunEvent) => void = () => {};
  #scope: (() => PackCallScope) | undefined;
  readonly #disabled = new Set<string>();
  /** What is being recorded; awaited before the journal closes. */
  readonly #recording = new Set<Promise<void>>();

  /**
   * @param limits what a pack may use at most; asked for with the first call.
   * @param variable the value of a variable of the environment, asked for where a pack was granted it.
   */
  constructor(
    session: Session,
    limits: () => Partial<PackLimits>,
    variable: (name: string) => string | undefined,
  ) {
    this.#session = session;
    this.#limits = limits;
    this.#variable = variable;
  }

  /** A new run: calls and what packs ask for belong to it from here. Hooks are called under `scope`. */
  startRun(
    deps: () => Promise<PackServiceDeps>,
    emit: (event: RunEvent) => void,
    scope: () => PackCallScope,
  ): void {
    this.#scope = scope;
    void this.#tier?.then((tier) => tier.startRun());
    this.#deps = deps;
    this.#emit = emit;
    this.#services = undefined;
    this.#made = undefined;
  }

  /** What packs have used of the model since this was last asked. */
  besideUse(): BesideUse[] {
    return this.#made?.besideUse() ?? [];
  }

  /** Throws `plugin.…`, or the signal's reason when the call was aborted. */
  async call(
    pack: Pack,
    tool: ToolManifest,
    input: JsonObject,
    run: ToolRun,
    scope: PackCallScope,
  ): Promise<ToolOutcome> {
    return await this.#call(pack, tool, run, scope, { tool: tool.name, input });
  }

  /** True when the pack is not used any more in this session. */
  isDisabled(id: string): boolean {
    return this.#disabled.has(id);
  }

  /**
   * Calls one of a pack's hooks, with what it names of what its pack was granted: the outcome's `data` is its answer. Throws
   * as `call` does.
   */
  async callHook(
    pack: Pack,
    hook: PackHook,
    input: JsonObject,
    call_id: string,
    signal: AbortSignal,
  ): Promise<ToolOutcome> {
    if (this.#scope === undefined) {
      throw new LuminaError(
        "plugin.no_run",
        `Pack "${pack.id}": no run has begun in which its hook could be called`,
      );
    }
    const run = {
      call_id,
      verdict: { paths: [] },
      seen: {},
      signal,
      // nobody watches a hook
      progress() {},
    };
    const { handler, capabilities } = hook;
    return await this.#call(pack, hookAsTool(hook), run, this.#scope(), {
      tool: "",
      hook: handler,
      capabilities,
      input,
    });
  }

  async #call(
    pack: Pack,
    tool: ToolManifest,
    run: Omit<ToolRun, "verdict"> & { verdict: Pick<ToolRun["verdict"], "paths" | "confinement"> },
    scope: PackCallScope,
    what: Pick<PackCall, "tool" | "hook" | "capabilities" | "input">,
  ): Promise<ToolOutcome> {
    const { call_id, verdict, signal, progress } = run;
    const { packEntry, packGrant } = await import("../../plugin_host/packs/mod.ts");
    const grant = packGrant(pack, tool, { ...scope, deny: scope.closed, verdict });
    const named = tool.programs.flatMap((name) => {
      const path = scope.programs[name];
      return path !== undefined && grant.run.includes(path) ? [[`${name}_path`, path]] : [];
    });
    const context: CallContext = {
      call_id,
      cwd: scope.workspace,
      read_roots: grant.read,
      write_roots: grant.write,
      deny_read: [...scope.deny.read, everythingBelow(scope.app_root)],
      deny_write: scope.deny.write,
      seen: run.seen,
      spill_dir: join(pack.data_dir, "output"),
      ...(verdict.confinement === undefined ? {} : { confinement: verdict.confinement }),
      child_env: {},
      config: { ...Object.fromEntries(named), data_dir: pack.data_dir },
    };
    const tier = await (this.#tier ??= this.#makeTier());
    return await tier.call({
      ...what,
      pack,
      context,
      grant,
      timeout_ms: tool.timeout_ms,
      signal,
      progress,
      entry: () => packEntry(pack),
    });
  }

  /** Ends every process. */
  async close(): Promise<void> {
    await (await this.#tier)?.close();
    await Promise.all(this.#recording);
  }

  async #makeTier(): Promise<ProcessTier> {
    const { ProcessTier } = await import("../../plugin_host/process/mod.ts");
    return new ProcessTier({
      limits: { ...DEFAULT_LIMITS, ...this.#limits() },
      services: async (pack, call_id, request, signal) =>
        await (await this.#runServices()).request(pack, call_id, request, signal),
      variable: this.#variable,
      onQuota: (trip) => this.#onQuota(trip),
      onCrash: (crash) => this.#onCrash(crash),
    });
  }

  async #runServices(): Promise<RunServices> {
    const deps = this.#deps;
    if (deps === undefined) throw new ServiceError("unavailable", "No run is going on");
    this.#services ??= Promise.all([import("./pack_services.ts"), deps()])
      .then(([{ runServices }, made]) => runServices(made));
    return this.#made = await this.#services;
  }

  #onQuota({ pack, quota, limit, value, call_id }: QuotaTrip): void {
    this.#record(this.#session.execute({
      type: "trip_quota",
      pack,
      quota,
      limit,
      value,
      ...(call_id === undefined ? {} : { call_id }),
    }));
  }

  #onCrash({ pack, error, disabled }: CrashInfo): void {
    if (disabled === undefined) return;
    this.#disabled.add(pack);
    this.#record(this.#session.execute({ type: "disable_plugin", pack, reason: disabled }));
    this.#emit({ type: "warning", text: `${error.message}; it is not used any more in this session` });
  }

  #record(recording: Promise<unknown>): void {
    const settled = recording.then(() => {}, () => {
      // the journal tells its own failures to the run, which ends by them
    });
    this.#recording.add(settled);
    void settled.finally(() => this.#recording.delete(settled));
  }
}
