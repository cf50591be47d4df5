import { LuminaError } from "../base/mod.ts";
import { byteLength, RPC_VERSION } from "../plugin_api/mod.ts";
import type { CallContext, Grant, HostMessage, ToolOutcome, WorkerMessage } from "../plugin_api/mod.ts";
import type { JsonObject } from "../types/mod.ts";

/** After this long without work an idle worker ends, milliseconds. */
const IDLE_MS = 60_000;
/** How long a closing worker may take to end what it holds, milliseconds. */
const CLOSE_MS = 1_500;
/** How long a cancelled call may take to return before its worker is given up, milliseconds. */
const CANCEL_MS = 500;

/** One call of a bundled plugin's tool. */
export interface WorkerCall {
  plugin: string;
  tool: string;
  input: JsonObject;
  context: CallContext;
  grant: Grant;
  /** A grant for once: the worker is this call's own and ends with it. */
  once: boolean;
  /** Milliseconds until the call is cancelled. */
  timeout_ms: number;
  signal: AbortSignal;
  progress(text: string): void;
}

/**
 * Runs bundled plugins in Workers whose Deno permissions are exactly the grant. Calls with equal grants share one
 * worker, started at its first call and ended after a minute without work. All eight permission keys are always
 * written. A worker is no boundary against malice: only bundled code runs here.
 */
export class WorkerTier {
  #entry: URL;
  #workers = new Map<string, PluginWorker>();
  #closing = new Set<Promise<void>>();

  /** @param entry the module that calls `servePlugins` with every bundled plugin. */
  constructor(entry: URL) {
    this.#entry = entry;
  }

  /** Throws `plugin.crashed`, `plugin.timeout`, or the signal's reason when the call was aborted. */
  async call(call: WorkerCall): Promise<ToolOutcome> {
    if (call.once) {
      const worker = new PluginWorker(this.#entry, call.grant, () => {});
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
      worker = new PluginWorker(this.#entry, grant, (idle) => {
        if (this.#workers.get(key) === idle) this.#workers.delete(key);
        void this.#end(idle);
      });
      this.#workers.set(key, worker);
    }
    return worker;
  }

  #end(worker: PluginWorker): Promise<void> {
    const ending = worker.close();
    this.#closing.add(ending);
    return ending.finally(() => this.#closing.delete(ending));
  }
}

interface Pending {
  resolve(outcome: ToolOutcome): void;
  reject(error: unknown): void;
  progress(text: string): void;
  /** What was sent ahead of the outcome. */
  chunks: string[];
}

class PluginWorker {
  dead = false;
  #retired = false;
  #worker: Worker;
  #pending = new Map<number, Pending>();
  #next = 1;
  #busy = false;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #onIdle: (self: PluginWorker) => void;
  #closed = Promise.withResolvers<void>();

  constructor(entry: URL, grant: Grant, onIdle: (self: PluginWorker) => void) {
    this.#onIdle = onIdle;
    this.#worker = new Worker(entry, {
      type: "module",
      deno: { permissions: { ...grant, ffi: [], import: [] } },
    } as WorkerOptions);
    this.#worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => this.#receive(data);
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.#fail(new LuminaError("plugin.crashed", `A plugin worker crashed: ${event.message}`));
    };
    this.#settle(); // one that was started ahead and never called ends too
  }

  get usable(): boolean {
    return !this.dead && !this.#retired;
  }

  call(call: WorkerCall): Promise<ToolOutcome> {
    call.signal.throwIfAborted();
    clearTimeout(this.#idleTimer);
    const id = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<ToolOutcome>();
    let giveUp: ReturnType<typeof setTimeout> | undefined;
    const cancel = (reason: unknown, error: () => unknown) => {
      this.#send({ type: "cancel", id, reason: reason instanceof Error ? reason.message : String(reason) });
      giveUp ??= setTimeout(() => {
        if (!this.#pending.delete(id)) return;
        reject(error());
        this.#retire();
      }, CANCEL_MS);
    };
    const onAbort = () => cancel(call.signal.reason, () => call.signal.reason);
    const timer = setTimeout(() => {
      const message = `${call.tool} did not end within ${Math.round(call.timeout_ms / 1000)} s`;
      cancel(message, () => new LuminaError("plugin.timeout", message));
    }, call.timeout_ms);
    call.signal.addEventListener("abort", onAbort, { once: true });
    this.#pending.set(id, { resolve, reject, progress: call.progress, chunks: [] });
    const { plugin, tool, input, context } = call;
    this.#send({ type: "call", id, plugin, tool, input, context });
    return promise.finally(() => {
      clearTimeout(timer);
      clearTimeout(giveUp);
      call.signal.removeEventListener("abort", onAbort);
    });
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
      case "progress":
        this.#pending.get(message.id)?.progress(message.text);
        break;
      case "chunk":
        this.#pending.get(message.id)?.chunks.push(message.text);
        this.#send({ type: "credit", id: message.id, bytes: byteLength(message.text) });
        break;
      case "request": {
        const text = `The plugin's worker has no service ${message.service}.${message.method}`;
        this.#send({
          type: "answer",
          request: message.request,
          ok: false,
          code: "unavailable",
          message: text,
        });
        break;
      }
      case "outcome": {
        const pending = this.#pending.get(message.id);
        this.#pending.delete(message.id);
        this.#busy = message.busy;
        const { outcome } = message;
        pending?.resolve(
          pending.chunks.length === 0
            ? outcome
            : { ...outcome, content: pending.chunks.join("") + outcome.content },
        );
        this.#settle();
        break;
      }
      case "closed":
        this.#closed.resolve();
        break;
    }
  }

  /** A call did not heed its cancellation: no new call comes here, and the worker goes with its last one. */
  #retire(): void {
    this.#retired = true;
    if (this.#pending.size > 0 || this.#busy) return;
    // it hears nothing: asking it to close would only take time
    this.#fail(
      new LuminaError("plugin.closed", "The plugin worker was ended: a call did not heed its cancellation"),
    );
    this.#onIdle(this);
  }

  /** Starts the idle clock when nothing runs and no plugin holds anything. */
  #settle(): void {
    if (this.#pending.size > 0 || this.#busy || this.dead) return;
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
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}
