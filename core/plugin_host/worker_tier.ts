import { errorMessage, LuminaError } from "../base/mod.ts";
import { RPC_VERSION } from "../plugin_api/mod.ts";
import type { Grant, HostMessage, ToolOutcome, WorkerMessage } from "../plugin_api/mod.ts";
import type { Json, JsonObject } from "../types/mod.ts";
import { PluginCalls } from "./plugin_calls.ts";
import type { PluginCall } from "./plugin_calls.ts";
import type { PackRequest } from "./services/service_port.ts";

/** After this long without work an idle worker ends, milliseconds. */
const IDLE_MS = 60_000;
/** How long a closing worker may take to end what it holds, milliseconds. */
const CLOSE_MS = 1_500;

/** One call of a bundled plugin's tool. */
export interface WorkerCall extends PluginCall {
  plugin: string;
  grant: Grant;
  /** A grant for once: the worker is this call's own and ends with it. */
  once: boolean;
}

/** Answers what a bundled plugin asks of the host; rejects with a `ServiceError`. */
export type WorkerServices = (
  call_id: string,
  request: PackRequest,
  signal: AbortSignal,
) => Promise<Json>;

/**
 * Runs bundled plugins in Workers whose Deno permissions are exactly the grant. Calls with equal grants share one
 * worker, started at its first call and ended after a minute without work. All eight permission keys are always
 * written. A worker is no boundary against malice: only bundled code runs here.
 */
export class WorkerTier {
  /** Told what a plugin says between its calls, with the grant of its worker. */
  onNotice: ((plugin: string, data: JsonObject, grant: Grant) => void) | undefined;
  #entry: URL;
  #services: WorkerServices | undefined;
  #locked = false;
  #workers = new Map<string, PluginWorker>();
  #closing = new Set<Promise<void>>();

  /**
   * @param entry the module that calls `servePlugins` with every bundled plugin.
   * @param services without it every request of a plugin is answered as `unavailable`.
   */
  constructor(entry: URL, services?: WorkerServices) {
    this.#entry = entry;
    this.#services = services;
  }

  /** Throws `plugin.crashed`, `plugin.timeout`, or the signal's reason when the call was aborted. */
  async call(call: WorkerCall): Promise<ToolOutcome> {
    if (call.once) {
      this.#assertMay(call.grant);
      const worker = this.#start(call.grant, () => {});
      try {
        return await worker.call(call);
      } finally {
        await this.#end(worker);
      }
    }
    return await this.#worker(call.grant).call(call);
  }

  /** Starts the worker of a grant ahead of its first call. */
  warm(grant: Grant): void {
    this.#worker(grant);
  }

  /**
   * The process gives up its permissions: idle workers stay from now on, and a new one may only read. A call that would
   * need one with more gets `plugin.locked`.
   */
  lock(): void {
    this.#locked = true;
  }

  /** Workers that are alive; for diagnostics and tests. */
  get size(): number {
    return this.#workers.size;
  }

  /** Ends every worker and what it holds. */
  async close(): Promise<void> {
    const workers = [...this.#workers.values()];
    this.#workers.clear();
    await Promise.all([...workers.map((worker) => this.#end(worker)), ...this.#closing]);
  }

  #worker(grant: Grant): PluginWorker {
    const key = JSON.stringify(grant);
    let worker = this.#workers.get(key);
    if (worker === undefined || !worker.usable) {
      this.#assertMay(grant);
      worker = this.#start(grant, (idle) => {
        if (this.#locked && idle.usable) return;
        if (this.#workers.get(key) === idle) this.#workers.delete(key);
        void this.#end(idle);
      });
      this.#workers.set(key, worker);
    }
    return worker;
  }

  #start(grant: Grant, onIdle: (self: PluginWorker) => void): PluginWorker {
    const onNotice: WorkerNotice = (plugin, data) => this.onNotice?.(plugin, data, grant);
    return new PluginWorker(this.#entry, grant, this.#services, onIdle, onNotice);
  }

  /** A worker has at most what the process still has. */
  #assertMay({ read: _, ...more }: Grant): void {
    if (!this.#locked || Object.values(more).every((list) => list.length === 0)) return;
    throw new LuminaError(
      "plugin.locked",
      "The worker of this tool has ended, and a locked run cannot start another one: start a new run",
    );
  }

  #end(worker: PluginWorker): Promise<void> {
    const ending = worker.close();
    this.#closing.add(ending);
    return ending.finally(() => this.#closing.delete(ending));
  }
}

type WorkerNotice = (plugin: string, data: JsonObject) => void;

class PluginWorker {
  dead = false;
  #retired = false;
  #worker: Worker;
  #calls: PluginCalls;
  #busy = false;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #onIdle: (self: PluginWorker) => void;
  #onNotice: WorkerNotice;
  #closed = Promise.withResolvers<void>();

  constructor(
    entry: URL,
    grant: Grant,
    services: WorkerServices | undefined,
    onIdle: (self: PluginWorker) => void,
    onNotice: WorkerNotice,
  ) {
    this.#onIdle = onIdle;
    this.#onNotice = onNotice;
    this.#calls = new PluginCalls({
      send: (message) => this.#send(message),
      unheeded: () => this.#retire(),
      ...(services === undefined ? {} : { serve: services }),
    });
    this.#worker = new Worker(entry, {
      type: "module",
      deno: { permissions: { ...grant, ffi: [], import: [] } },
    } as WorkerOptions);
    this.#worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => this.#receive(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(
        new LuminaError("plugin.crashed", `A plugin worker crashed: ${errorMessage(event.message)}`),
      );
    };
    this.#settle(); // one that was started ahead and never called ends too
  }

  get usable(): boolean {
    return !this.dead && !this.#retired;
  }

  call(call: WorkerCall): Promise<ToolOutcome> {
    call.signal.throwIfAborted();
    clearTimeout(this.#idleTimer);
    return this.#calls.call(call.plugin, call);
  }

  /** Asks the plugins to end what they hold, waits a bounded time, then ends the worker. */
  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    if (this.dead) return;
    this.#send({ type: "close" });
    const timer = setTimeout(() => this.#closed.resolve(), CLOSE_MS);
    await this.#closed.promise;
    clearTimeout(timer);
    this.#fail(new LuminaError("plugin.closed", "The plugin worker has ended"));
  }

  #send(message: HostMessage): void {
    if (!this.dead) this.#worker.postMessage(message);
  }

  #receive(message: WorkerMessage): void {
    switch (message.type) {
      case "hello":
        if (message.version !== RPC_VERSION) {
          this.#fail(new LuminaError("plugin.version", `The plugin worker speaks RPC ${message.version}`));
        }
        break;
      case "failed":
        this.#fail(
          new LuminaError("plugin.crashed", `A plugin worker crashed: ${errorMessage(message.message)}`),
        );
        break;
      case "outcome":
        this.#busy = message.busy;
        this.#calls.receive(message);
        this.#settle();
        break;
      case "progress":
      case "chunk":
      case "request":
        this.#calls.receive(message);
        break;
      case "notice":
        this.#onNotice(message.plugin, message.data);
        break;
      case "closed":
        this.#closed.resolve();
        break;
    }
  }

  /** A call did not heed its cancellation: no new call comes here, and the worker goes with its last one. */
  #retire(): void {
    this.#retired = true;
    if (this.#calls.size > 0 || this.#busy) return;
    // it hears nothing: asking it to close would only take time
    this.#fail(
      new LuminaError("plugin.closed", "The plugin worker was ended: a call did not heed its cancellation"),
    );
    this.#onIdle(this);
  }

  /** Starts the idle clock when nothing runs and no plugin holds anything. */
  #settle(): void {
    if (this.#calls.size > 0 || this.#busy || this.dead) return;
    if (this.#retired) return this.#onIdle(this);
    const timer = setTimeout(() => this.#onIdle(this), IDLE_MS);
    Deno.unrefTimer(Number(timer));
    this.#idleTimer = timer;
  }

  #fail(error: LuminaError): void {
    if (this.dead) return;
    this.dead = true;
    clearTimeout(this.#idleTimer);
    this.#worker.terminate();
    this.#closed.resolve();
    this.#calls.fail(error);
  }
}
