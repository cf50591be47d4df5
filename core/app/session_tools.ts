import { join } from "node:path";
import type { HostTool, ToolPort, ToolRun } from "../agent/mod.ts";
import { everythingBelow, isInside } from "../files/mod.ts";
import { ALL_CAPABILITIES, intersect, isRealDirectory } from "../permission/mod.ts";
import type { Capabilities } from "../permission/mod.ts";
import { makePrivateDirectory } from "../app_root/mod.ts";
import { LuminaError } from "../base/mod.ts";
import { emptyGrant } from "../plugin_api/mod.ts";
import type { CallContext, Grant, ToolManifest, ToolOutcome } from "../plugin_api/mod.ts";
import type { CatalogTool, InputValidator, Pack, ToolCatalog, WorkerTier } from "../plugin_host/mod.ts";
import type { Confinement, JsonObject, PermissionMode, Verdict } from "../types/mod.ts";
import type { Programs } from "./program_paths.ts";
import type { ToolLock } from "./lockdown/tool_lock.ts";
import type { PackCalls, PackCallScope } from "./plugins/pack_calls.ts";
import type { SessionSandbox } from "./sandbox/session_sandbox.ts";
import type { SessionShells } from "./session_shells.ts";
import { cutResult, spillResult } from "./spill_result.ts";

/** What the tools of one session share. Paths are real paths. */
export interface ToolScope {
  /** In mode `plan` no worker may write, whatever the kernel says of a call. */
  mode: PermissionMode;
  workspace: string;
  added_dirs: readonly string[];
  /** Folder for output too long to show; made at the first use. */
  spill_dir: string;
  child_env: Readonly<Record<string, string>>;
  /** What was found of the programs that tools name, and of bubblewrap. */
  programs: Programs;
  /** Where the next command starts; moves with each command and belongs to the session. */
  shell: { cwd: string };
  /** Lumina's own folder: hidden from sandboxed commands and from searches through a workspace that holds it. */
  app_root: string;
  /** Limit of a command that names none. */
  shell_timeout_ms: number;
  /** What becomes of a command that passes its limit. */
  shell_on_timeout?: "background" | "end";
  /** What commands left running; absent: nobody is told of it. */
  shells?: SessionShells;
  /** What tools that read files are told of the model and of their limits. */
  reading: JsonObject;
  /** Characters of one result that the model sees. */
  max_result_chars: number;
  /** Deny rules as absolute patterns. */
  deny: { read: readonly string[]; write: readonly string[] };
  /** Refusing and asking rules as absolute patterns: what no pack is given as a whole folder. */
  closed: { read: readonly string[]; write: readonly string[] };
  /** Tools that are not offered: switched off, or denied as a whole. */
  hidden(tool: CatalogTool): boolean;
  /** The limits of a locked run. */
  lock?: ToolLock;
  /** Runs the tools of packs; absent where there is none. */
  packs?: PackCalls;
  home: string;
  sandbox: SessionSandbox;
  /** What Lumina itself carries out. */
  host_tools: readonly HostTool[];
}

/** The tools of one session: the bundled ones in workers, those of packs in processes, with exactly what a call may touch. */
export class SessionTools implements ToolPort {
  readonly tools: readonly ToolManifest[];
  #catalog: ToolCatalog;
  #tier: WorkerTier;
  #validator: InputValidator;
  #scope: ToolScope;
  /** True when the tool for commands is not offered: then no other tool starts a program either. */
  #no_programs: boolean;

  constructor(catalog: ToolCatalog, tier: WorkerTier, validator: InputValidator, scope: ToolScope) {
    this.#catalog = catalog;
    this.#tier = tier;
    this.#validator = validator;
    this.#scope = scope;
    this.tools = catalog.tools.filter((tool) => !this.#absent(tool)).map((tool) => this.#offered(tool));
    this.#no_programs = catalog.tools.some((tool) => tool.subject.kind === "command" && scope.hidden(tool));
  }

  find(name: string): CatalogTool | undefined {
    const tool = this.#catalog.find(name);
    return tool === undefined || this.#absent(tool) ? undefined : this.#offered(tool);
  }

  /** Starts the workers of everything that is offered: a locked run can start none later. */
  warm(): void {
    for (const { name } of this.tools) this.prepare(name);
  }

  check(tool: ToolManifest, input: JsonObject): string[] {
    return this.#validator.check(tool.input_schema, input);
  }

  prepare(name: string): void {
    const tool = this.find(name);
    // a pack's process starts with its call: what it may touch is known by then
    if (tool === undefined || tool.pack !== undefined || this.#hostTool(tool.name) !== undefined) return;
    if (tool.capabilities.length > 0) this.#tier.warm(this.#grant(tool, this.#scope.mode, [], []));
    if (tool.subject.kind === "command" && this.#scope.lock === undefined) {
      this.#scope.sandbox.begin(this.#scope.mode);
    }
  }

  async call(tool: ToolManifest, input: JsonObject, run: ToolRun): Promise<ToolOutcome> {
    const { pack } = this.#catalog.find(tool.name) ?? {};
    const host = this.#hostTool(tool.name);
    const outcome = host !== undefined
      ? await host.call(input, run)
      : pack === undefined
      ? await this.#callBundled(tool, input, run)
      : await this.#callPack(pack, tool, input, run);
    return await this.#shortened(outcome, run);
  }

  #hostTool(name: string): HostTool | undefined {
    return this.#scope.host_tools.find((tool) => tool.name === name);
  }

  async #callPack(pack: Pack, tool: ToolManifest, input: JsonObject, run: ToolRun): Promise<ToolOutcome> {
    const { packs } = this.#scope;
    if (packs === undefined) {
      throw new LuminaError("plugin.no_tier", `Pack "${pack.id}" cannot run in this session`);
    }
    return await packs.call(pack, tool, input, run, this.packScope());
  }

  /** What the session says of each call of a pack. */
  packScope(): PackCallScope {
    const { workspace, app_root, home, deny, closed, programs } = this.#scope;
    return {
      workspace,
      roots: this.#roots(),
      app_root,
      home,
      deny,
      closed,
      programs: this.#no_programs ? {} : programs,
    };
  }

  async #callBundled(tool: ToolManifest, input: JsonObject, run: ToolRun): Promise<ToolOutcome> {
    const scope = this.#scope;
    const roots = this.#roots();
    const outside = run.verdict.paths.filter(({ resolved }) =>
      !roots.some((root) => isInside(root, resolved))
    );
    const extra_write = outside.filter(({ access }) => access === "write").map(({ resolved }) => resolved);
    const extra_read = outside.map(({ resolved }) => resolved);
    const runs = tool.capabilities.includes("run");
    const { mode = scope.mode } = run.verdict;
    const write_roots = this.#writeRoots(mode);
    scope.lock?.assertWrites(tool, run.verdict, write_roots);
    // what runs is known to the worker that started it alone
    const grant = (runs ? scope.shells?.grantOf(input["shell_id"]) : undefined) ??
      this.#grant(tool, mode, extra_read, extra_write);
    const offer = tool.subject.kind === "command" ? scope.shells?.offer() : undefined;
    if (runs && scope.lock === undefined) makePrivateDirectory(scope.spill_dir);
    const confinement: Confinement | undefined = scope.lock === undefined || !runs
      ? run.verdict.confinement
      : { level: "closed", network: false, secrets: [] };
    const call = confinement === undefined || confinement.level === "none" ? undefined : await scope.sandbox
      .forCall(confinement, {
        background: input["run_in_background"] === true,
        locked: scope.lock !== undefined,
        write_roots,
        deny_read: scope.deny.read,
      });
    const context: CallContext = {
      call_id: run.call_id,
      cwd: scope.workspace,
      // what earlier calls spilled may be read again
      read_roots: [...roots, scope.spill_dir, ...extra_read],
      write_roots: runs ? write_roots : grant.write,
      deny_read: [...scope.deny.read, ...this.#closed(tool, run.verdict)],
      deny_write: scope.deny.write,
      seen: run.seen,
      spill_dir: scope.spill_dir,
      ...(confinement === undefined ? {} : { confinement }),
      child_env: runs ? scope.child_env : {},
      config: {
        ...Object.fromEntries(
          Object.entries(this.#programs(tool)).map(([name, path]) => [`${name}_path`, path]),
        ),
        ...(tool.capabilities.includes("fs.read") ? scope.reading : {}),
        ...(runs ? shellConfig(scope) : {}),
        ...(offer === undefined ? {} : { shell_id: offer.shell_id }),
        ...(call === undefined ? {} : { sandbox: call.config }),
      },
    };
    const calling = this.#tier.call({
      plugin: this.#catalog.find(tool.name)?.plugin ?? "",
      tool: tool.name,
      input,
      context,
      grant,
      once: !runs && outside.length > 0,
      timeout_ms: tool.timeout_ms,
      signal: run.signal,
      progress: run.progress,
    }).finally(() => offer?.release());
    const outcome = call === undefined ? await calling : await call.around(calling);
    const cwd = runs ? outcome.data?.["cwd"] : undefined;
    // what a command tells of itself is taken only where a folder stands, without links and `..`
    if (typeof cwd === "string" && isRealDirectory(cwd) && roots.some((root) => isInside(root, cwd))) {
      scope.shell.cwd = cwd;
    }
    return outcome;
  }

  /** What is too long for the model is kept in a file, and the outcome says where. */
  async #shortened(outcome: ToolOutcome, run: ToolRun): Promise<ToolOutcome> {
    const scope = this.#scope;
    if (outcome.content.length <= scope.max_result_chars) return outcome;
    if (scope.lock !== undefined) {
      const place = await scope.lock.keep(run.call_id, outcome.content);
      return cutResult(outcome, scope.max_result_chars, place);
    }
    makePrivateDirectory(scope.spill_dir);
    return await spillResult(
      outcome,
      scope.max_result_chars,
      join(scope.spill_dir, `result-${run.call_id}.txt`),
    );
  }

  /** The exact Deno permissions of a call: what the manifest asks for ∩ the session's folders ∩ what mode and lock leave. */
  #grant(
    tool: ToolManifest,
    mode: PermissionMode,
    extra_read: readonly string[],
    extra_write: readonly string[],
  ): Grant {
    const { spill_dir } = this.#scope;
    const roots = this.#roots();
    const grant: Grant = { ...emptyGrant(), run: Object.values(this.#programs(tool)) };
    const runs = tool.capabilities.includes("run");
    if (runs) {
      // the shell starts everything else itself; its output goes to its own folder alone
      grant.read = [...roots, spill_dir];
      grant.write = [spill_dir];
    } else {
      if (tool.capabilities.includes("fs.read")) grant.read = [...roots, spill_dir, ...extra_read];
      if (tool.capabilities.includes("fs.write")) grant.write = [...roots, ...extra_write];
    }
    return intersect(intersect(grant, this.#leftByMode(mode, runs)), this.#leftByLock(runs));
  }

  /** In mode `plan` nothing is written but a command's own output. */
  #leftByMode(mode: PermissionMode, runs: boolean): Capabilities {
    if (mode !== "plan") return ALL_CAPABILITIES;
    return { ...ALL_CAPABILITIES, write: runs ? [this.#scope.spill_dir] : [] };
  }

  /** A locked run writes where it may alone, and a command's output is kept in the journal. */
  #leftByLock(runs: boolean): Capabilities {
    const { lock } = this.#scope;
    if (lock === undefined) return ALL_CAPABILITIES;
    const roots = this.#roots();
    if (runs) return { ...ALL_CAPABILITIES, read: roots, write: [] };
    return { ...ALL_CAPABILITIES, write: lock.writeRoots(roots) };
  }

  /**
   * Lumina's own folder, which a call that goes through the workspace must not read on its way: only a call that was
   * judged for a path in there may. Commands are judged by themselves, and the sandbox hides it.
   */
  #closed(tool: ToolManifest, verdict: Verdict): string[] {
    const { app_root } = this.#scope;
    if (tool.capabilities.includes("run")) return [];
    if (verdict.paths.some(({ resolved }) => isInside(app_root, resolved))) return [];
    return [everythingBelow(app_root)];
  }

  /** The tool as this session has it: a command asks for no way out where there is none. */
  #offered(tool: CatalogTool): CatalogTool {
    const { lock, sandbox } = this.#scope;
    if (tool.subject.kind !== "command" || (lock === undefined && sandbox.escalates)) return tool;
    const { escalate, ...properties } = (tool.input_schema["properties"] ?? {}) as JsonObject;
    return escalate === undefined ? tool : { ...tool, input_schema: { ...tool.input_schema, properties } };
  }

  #absent(tool: CatalogTool): boolean {
    if (this.#catalog.carriedOutByHost(tool) && this.#hostTool(tool.name) === undefined) return true;
    return this.#scope.hidden(tool) || this.#scope.lock?.absence(tool) !== undefined;
  }

  #writeRoots(mode: PermissionMode): string[] {
    if (mode === "plan") return [];
    const roots = this.#roots();
    return this.#scope.lock?.writeRoots(roots) ?? roots;
  }

  #roots(): string[] {
    return [this.#scope.workspace, ...this.#scope.added_dirs];
  }

  /** The programs that a tool names and may start. */
  #programs(tool: ToolManifest): Programs {
    if (this.#no_programs) return {};
    if (this.#scope.lock !== undefined) {
      // a program leaves Deno's permissions behind: there is none but the sandbox
      const { bwrap } = this.#scope.programs;
      return tool.capabilities.includes("run") && bwrap !== undefined ? { bwrap } : {};
    }
    return Object.fromEntries(tool.programs.flatMap((name) => {
      const path = this.#scope.programs[name];
      return path === undefined ? [] : [[name, path]];
    }));
  }
}

/** What the shell tool is told beside its input. */
function shellConfig(
  { programs, shell, shell_timeout_ms, shell_on_timeout = "end", shells, lock }: ToolScope,
): JsonObject {
  const { bash, bwrap } = programs;
  return {
    shell_timeout_ms,
    shell_on_timeout,
    shells: shells?.list().map((info) => ({ ...info })) ?? [],
    shell_cwd: shell.cwd,
    ...(bwrap === undefined ? {} : { bwrap_path: bwrap }),
    ...(lock === undefined || bash === undefined ? {} : { locked: true, bash_path: bash }),
  };
}
