import { makePrivateDirectory } from "../../app_root/mod.ts";
import { LuminaError } from "../../base/mod.ts";
import { requestKind } from "../../plugin_api/mod.ts";
import type { Grant, PackLimits, ToolOutcome } from "../../plugin_api/mod.ts";
import type { PackServices } from "../services/service_port.ts";
import type { PackCall, PackTier } from "../packs/pack_call.ts";
import type { Pack } from "../packs/pack.ts";
import { hookHandlers } from "../packs/pack_hook.ts";
import { CrashRecord } from "./crash_record.ts";
import { PackProcess } from "./pack_process.ts";
import type { PackFault } from "./pack_process.ts";
import { ProcessTable } from "./process_table.ts";
import { programCommand } from "./program_command.ts";
import type { ProgramCommand } from "./program_command.ts";
import { packLimits, quotaError } from "./quota.ts";
import type { QuotaTrip } from "./quota.ts";

/** After this long without work an idle process ends, milliseconds. */
const IDLE_MS = 60_000;
/** How long a pack may take to be loaded, milliseconds. */
const HELLO_MS = 20_000;
/** Processes of one pack without a call, one for each grant that its calls had; those that hold something may be more. */
const MAX_IDLE = 2;
const MAX_RESTING = 4;

/** A pack's process has ended by a fault of the pack. */
export interface CrashInfo {
  pack: string;
  error: LuminaError;
  /** Faults of this pack in the session. */
  crashes: number;
  /** Why the pack is not used any more in this session; undefined while it may be tried again. */
  disabled?: string;
  /** The last 64 KiB that it wrote to standard error, without controls. */
  stderr: string;
}

export interface ProcessTierOptions {
  /** What a pack may use at most. */
  limits?: PackLimits;
  /** Answers what packs ask of the host; without it every request is `unavailable`. */
  services?: PackServices;
  /** The value of a variable that a pack was granted; without it packs have none. */
  variable?(name: string): string | undefined;
  /** A quota has tripped. */
  onQuota?(trip: QuotaTrip): void;
  onCrash?(info: CrashInfo): void;
  /** For tests: another program than this one. */
  command?: ProgramCommand;
  /** For tests: other times than the usual ones, milliseconds. */
  idle_ms?: number;
  hello_ms?: number;
  back_off_ms?: readonly number[];
}

/**
 * Runs the tools and hooks of third-party packs, each pack in processes of its own that hold what its grant names and nothing else.
 * Whatever a pack does is one line that names it: `plugin.load`, `plugin.version`, `plugin.protocol`, `plugin.crashed`,
 * `plugin.timeout`, `plugin.quota`, and `plugin.disabled` once it is not tried again. A fault that trying again cannot mend
 * disables the pack for the session at once, any other at the fifth time; between them the next call waits.
 */
export class ProcessTier implements PackTier {
  #options: ProcessTierOptions;
  #table = new ProcessTable();
  #processes = new Map<string, Entry>();
  #ending = new Set<Promise<void>>();
  #crashes = new Map<string, CrashRecord>();
  #calls = new Map<string, number>();
  #closed = false;

  constructor(options: ProcessTierOptions = {}) {
    this.#options = options;
  }

  /** Throws the errors above, what `entry` throws, or the signal's reason. */
  async call(call: PackCall): Promise<ToolOutcome> {
    const { pack, signal } = call;
    signal.throwIfAborted();
    // how often its hooks are called is none of a pack's choice
    if (call.hook === undefined) this.#countCall(pack, call.context.call_id);
    const record = this.#record(pack.id);
    record.assertUsable();
    await record.wait(signal, call.hook === undefined ? Infinity : call.timeout_ms);
    record.assertUsable();
    const entry = await this.#process(call, reduced(call.grant));
    try {
      const running = entry.process.call(call);
      clearTimeout(entry.idle);
      return await running;
    } finally {
      this.#settle(entry);
    }
  }

  /** A new run: calls are counted from here. */
  startRun(): void {
    this.#calls.clear();
  }

  /** Processes that are alive; for diagnostics and tests. */
  get pids(): number[] {
    return [...this.#processes.values()].filter(({ process }) => !process.over).map(({ process }) =>
      process.pid
    );
  }

  /** Ends every process and what it has started. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const entry of this.#processes.values()) this.#end(entry);
    await Promise.all(this.#ending);
    await this.#table.close();
  }

  #countCall({ id, manifest }: Pack, call_id: string): void {
    const limit = packLimits(manifest.limits, this.#options.limits).calls_per_run;
    const value = (this.#calls.get(id) ?? 0) + 1;
    this.#calls.set(id, value);
    if (value <= limit) return;
    const trip: QuotaTrip = { pack: id, quota: "calls_per_run", limit, value, call_id };
    // one record tells it; the calls after it are refused all the same
    if (value === limit + 1) this.#options.onQuota?.(trip);
    throw quotaError(trip);
  }

  #record(id: string): CrashRecord {
    let record = this.#crashes.get(id);
    if (record === undefined) this.#crashes.set(id, record = new CrashRecord(id, this.#options.back_off_ms));
    return record;
  }

  /** The process of a pack and a grant, started when there is none. */
  async #process({ pack, entry: read }: PackCall, grant: Grant): Promise<Entry> {
    const sha256 = pack.files[pack.manifest.entry ?? ""] ?? "";
    const key = JSON.stringify([pack.id, sha256, grant]);
    const found = this.#processes.get(key);
    if (found !== undefined && !found.process.over) return found;
    const bytes = await read();
    const started = this.#processes.get(key); // by another call, meanwhile
    if (started !== undefined && !started.process.over) return started;
    if (this.#closed) throw new LuminaError("plugin.closed", `Pack "${pack.id}": the program is ending`);
    makePrivateDirectory(pack.data_dir);
    const { services } = this.#options;
    const process = new PackProcess({
      pack: pack.id,
      tools: pack.manifest.contributes.tools.map(({ name }) => name),
      hooks: hookHandlers(pack.manifest),
      entry: bytes,
      sha256,
      grant,
      variables: this.#variables(grant),
      limits: packLimits(pack.manifest.limits, this.#options.limits),
      data_dir: pack.data_dir,
      table: this.#table,
      command: this.#options.command ?? programCommand(),
      hello_ms: this.#options.hello_ms ?? HELLO_MS,
      ...(services === undefined ? {} : {
        serve: (call_id, request, signal, call) => services(ofCall(pack, call), call_id, request, signal),
      }),
      onFault: (fault) => {
        this.#onFault(pack.id, fault);
        this.#end(entry);
      },
    });
    const entry: Entry = { key, pack: pack.id, process, idle: undefined };
    this.#processes.set(key, entry);
    return entry;
  }

  #variables(grant: Grant): Record<string, string> {
    const values: Record<string, string> = {};
    for (const name of grant.env) {
      const value = this.#options.variable?.(name);
      if (value !== undefined) values[name] = value;
    }
    return values;
  }

  #onFault(pack: string, { error, final, trip, stderr }: PackFault): void {
    const record = this.#record(pack);
    record.add(error, final);
    if (trip !== undefined) this.#options.onQuota?.(trip);
    const { crashes, disabled } = record;
    this.#options.onCrash?.({
      pack,
      error,
      crashes,
      stderr,
      ...(disabled === undefined ? {} : { disabled }),
    });
  }

  /** Starts the idle clock of a process that has nothing to do, and ends those beyond the few that are kept. */
  #settle(entry: Entry): void {
    if (entry.process.over) return this.#end(entry);
    if (!entry.process.resting) return;
    clearTimeout(entry.idle);
    entry.idle = setTimeout(() => entry.process.idle && this.#end(entry), this.#options.idle_ms ?? IDLE_MS);
    Deno.unrefTimer(Number(entry.idle));
    // the most recently used stands last
    this.#processes.delete(entry.key);
    this.#processes.set(entry.key, entry);
    const resting = [...this.#processes.values()].filter(({ pack, process }) =>
      pack === entry.pack && process.resting
    );
    for (const old of resting.slice(0, -MAX_RESTING)) this.#end(old);
    for (const old of resting.filter(({ process }) => process.idle).slice(0, -MAX_IDLE)) this.#end(old);
  }

  #end(entry: Entry): void {
    clearTimeout(entry.idle);
    if (this.#processes.get(entry.key) === entry) this.#processes.delete(entry.key);
    const ending = entry.process.close();
    this.#ending.add(ending);
    void ending.finally(() => this.#ending.delete(ending));
  }
}

interface Entry {
  key: string;
  pack: string;
  process: PackProcess;
  idle: ReturnType<typeof setTimeout> | undefined;
}

/** The same grant without what it says twice, so that calls which may do the same share a process. */
function reduced(grant: Grant): Grant {
  const paths = (list: readonly string[]) =>
    list.filter((path, at) =>
      list.indexOf(path) === at &&
      !list.some((above) => above !== path && path.startsWith(`${above.replace(/\/$/, "")}/`))
    );
  return { ...grant, read: paths(grant.read), write: paths(grant.write) };
}

/** A pack as one of its calls may use it: what that does not name, it does not get through a service either. */
function ofCall(pack: Pack, { tool, capabilities }: Pick<PackCall, "tool" | "capabilities">): Pack {
  const named = capabilities ??
    pack.manifest.contributes.tools.find(({ name }) => name === tool)?.capabilities ?? [];
  return { ...pack, grant: pack.grant.filter((request) => named.includes(requestKind(request))) };
}
