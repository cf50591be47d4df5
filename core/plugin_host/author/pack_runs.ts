import { errorMessage, LuminaError } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import { DEFAULT_LIMITS, emptyGrant } from "../../plugin_api/mod.ts";
import type { CallContext, Grant, ToolManifest, ToolOutcome } from "../../plugin_api/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import type { Pack } from "../packs/pack.ts";
import { packEntry } from "../packs/pack_entry.ts";
import { packGrant } from "../packs/pack_grant.ts";
import { hookAsTool } from "../packs/pack_hook.ts";
import type { PackHook } from "../packs/pack_hook.ts";
import type { ProcessTier } from "../process/process_tier.ts";

/** How long a cancelled call may take to return, milliseconds. */
const CANCEL_MS = 1_000;
/** How long a call runs before it is cancelled, milliseconds. */
const BEFORE_CANCEL_MS = 100;
/** A trivial call takes no longer, milliseconds. */
const TRIVIAL_MS = 30_000;
/** A tool that no pack can have: a call of it loads the module and does nothing else. */
const NO_TOOL = "no such tool";

/** What the runs of a check need to know. */
export interface PackRunOptions {
  world: World;
  /** Where programs are, by name; those that were not found are left out. */
  findPrograms(names: readonly string[], workspace: string): Readonly<Record<string, string>>;
  home: string;
  /** Folder of Lumina itself, which no pack may touch. */
  app_root: string;
}

/** One call of a check that has an end. */
export interface TrivialRun {
  problem?: string;
  outcome?: ToolOutcome;
  ms: number;
}

/** Calls of one pack, run the way a session runs them, without the services of the host. */
export class PackRuns {
  readonly #options: PackRunOptions;
  readonly #tier: ProcessTier;
  readonly #pack: Pack;
  readonly #context: CallContext;

  constructor(
    options: PackRunOptions,
    tier: ProcessTier,
    pack: Pack,
    place: { workspace: string; spill_dir: string },
  ) {
    this.#options = options;
    this.#tier = tier;
    this.#pack = pack;
    this.#context = {
      call_id: "check",
      cwd: place.workspace,
      read_roots: [place.workspace],
      write_roots: [place.workspace],
      deny_read: [],
      deny_write: [],
      seen: {},
      spill_dir: place.spill_dir,
      child_env: {},
      config: { data_dir: pack.data_dir },
    };
  }

  get workspace(): string {
    return this.#context.cwd;
  }

  limit(name: "result_bytes"): number {
    return Math.min(this.#pack.manifest.limits?.[name] ?? Infinity, DEFAULT_LIMITS[name]);
  }

  /** What goes wrong when the module is loaded where nothing is granted. */
  async loadProblem(): Promise<string | undefined> {
    try {
      const { content } = await this.#tier.call({
        ...this.#call(TRIVIAL_MS, new AbortController().signal),
        tool: NO_TOOL,
        input: {},
        grant: emptyGrant(),
      });
      if (content.includes(`has no tool "${NO_TOOL}"`)) return undefined;
      return content.split("\n")[0]?.slice(0, 300) ?? "";
    } catch (error) {
      const message = errorMessage(error);
      const hint = /requires \w+ access|was not granted/i.test(message)
        ? "; what needs a permission belongs into a tool or a hook, not beside it"
        : "";
      return `${message}${hint}`;
    }
  }

  /** A call of a tool that nobody cancels. */
  async trivial(tool: ToolManifest, input: JsonObject): Promise<TrivialRun> {
    return await this.#trivial(tool, input, undefined);
  }

  /** A call of a hook that nobody cancels. */
  async answer(hook: PackHook, input: JsonObject): Promise<TrivialRun> {
    return await this.#trivial(hookAsTool(hook), input, hook);
  }

  /**
   * Cancels a call. One that ends by itself, with a result or an error, has heeded its signal; one that is ended has not.
   */
  async cancelled(
    tool: ToolManifest,
    input: JsonObject,
    hook?: PackHook,
  ): Promise<{ problem?: string; detail: string }> {
    const { world } = this.#options;
    const abort = new AbortController();
    const reason = new LuminaError("plugin.cancelled", "The check cancels this call");
    let at: number | undefined;
    const timer = setTimeout(() => {
      at = world.mono();
      abort.abort(reason);
    }, BEFORE_CANCEL_MS);
    try {
      await this.#run(tool, input, hook, tool.timeout_ms, abort.signal);
    } catch (error) {
      if (error === reason || at !== undefined) {
        return { problem: "it had to be ended: heed context.signal wherever it waits", detail: "" };
      }
      return { problem: errorMessage(error), detail: "" };
    } finally {
      clearTimeout(timer);
    }
    if (at === undefined) return { detail: "it had ended before" };
    const ms = Math.round(world.mono() - at);
    return ms > CANCEL_MS
      ? { problem: `it took ${ms} ms, at most ${CANCEL_MS}: heed context.signal`, detail: "" }
      : { detail: `after ${ms} ms` };
  }

  async #trivial(tool: ToolManifest, input: JsonObject, hook: PackHook | undefined): Promise<TrivialRun> {
    const { world } = this.#options;
    const started = world.mono();
    const ms = () => Math.round(world.mono() - started);
    try {
      const limit = Math.min(tool.timeout_ms, TRIVIAL_MS);
      const outcome = await this.#run(tool, input, hook, limit, new AbortController().signal);
      return { outcome, ms: ms() };
    } catch (error) {
      return { problem: errorMessage(error), ms: ms() };
    }
  }

  async #run(
    tool: ToolManifest,
    input: JsonObject,
    hook: PackHook | undefined,
    timeout_ms: number,
    signal: AbortSignal,
  ): Promise<ToolOutcome> {
    const { cwd } = this.#context;
    const programs = this.#programs(tool);
    const grant = this.#grant(tool, programs);
    const named = tool.programs.flatMap((name) => {
      const path = programs[name];
      return path === undefined ? [] : [[`${name}_path`, path]];
    });
    const call = this.#call(timeout_ms, signal);
    return await this.#tier.call({
      ...call,
      ...(hook === undefined
        ? { tool: tool.name }
        : { tool: "", hook: hook.handler, capabilities: hook.capabilities }),
      input,
      grant,
      context: {
        ...call.context,
        ...(hook === undefined ? {} : { read_roots: grant.read, write_roots: grant.write }),
        cwd,
        config: { ...call.context.config, ...Object.fromEntries(named) },
      },
    });
  }

  #programs(tool: ToolManifest): Readonly<Record<string, string>> {
    const asked = this.#pack.manifest.capabilities.flatMap((request) =>
      typeof request !== "string" && request.kind === "run" ? request.programs : []
    );
    return this.#options.findPrograms([...tool.programs, ...asked], this.#context.cwd);
  }

  /** What a session would give whose workspace is the empty folder. */
  #grant(tool: ToolManifest, programs: Readonly<Record<string, string>>): Grant {
    const { home, app_root } = this.#options;
    return packGrant(this.#pack, tool, {
      roots: [this.#context.cwd],
      app_root,
      home,
      deny: { read: [], write: [] },
      programs,
      verdict: { paths: [] },
    });
  }

  #call(timeout_ms: number, signal: AbortSignal) {
    return {
      pack: this.#pack,
      entry: () => packEntry(this.#pack),
      context: this.#context,
      timeout_ms,
      signal,
      progress() {},
    };
  }
}
