import { LuminaError, withoutFlags } from "../base/mod.ts";
import { byteLength, ServiceError } from "../plugin_api/mod.ts";
import type { CallContext, HostMessage, ToolOutcome, WorkerMessage } from "../plugin_api/mod.ts";
import type { Json, JsonObject } from "../types/mod.ts";
import type { PackRequest } from "./services/service_port.ts";

/** How long a cancelled call may take to return before it is given up, milliseconds. */
const CANCEL_MS = 500;

/** One call of a plugin's tool, or of one of its hooks, in whichever tier it runs. */
export interface PluginCall {
  /** Empty where a hook is called. */
  tool: string;
  /** The export that answers an event. */
  hook?: string;
  input: JsonObject;
  context: CallContext;
  /** Milliseconds until the call is cancelled. */
  timeout_ms: number;
  signal: AbortSignal;
  progress(text: string): void;
}

/** What the calls need of the worker or process that runs them. */
export interface CallLink {
  send(message: HostMessage): void;
  /** A call did not return after its cancellation; it has been rejected already. */
  unheeded(why: "timeout" | "abort", call_id: string): void;
  /** Answers a request of a call; rejects with a `ServiceError`. Without it nothing is served. */
  serve?(call_id: string, request: PackRequest, signal: AbortSignal, call: PluginCall): Promise<Json>;
}

/** A call that has not ended. */
export interface RunningCall {
  readonly call_id: string;
  readonly call: PluginCall;
  /** What was sent ahead of the outcome. */
  chunks: string[];
}

interface Pending extends RunningCall {
  resolve(outcome: ToolOutcome): void;
  reject(error: unknown): void;
  progress(text: string): void;
  /** Aborts when the call has ended: what is being served for it stops. */
  over: AbortController;
}

/** The messages that belong to one call. */
export type CallMessage = Extract<WorkerMessage, { id: number }>;

/** The calls of one worker or process: the half of the RPC that both tiers share. Messages must have the right shape. */
export class PluginCalls {
  #link: CallLink;
  #pending = new Map<number, Pending>();
  #next = 1;

  constructor(link: CallLink) {
    this.#link = link;
  }

  /** Calls that have not ended. */
  get size(): number {
    return this.#pending.size;
  }

  find(id: number): RunningCall | undefined {
    return this.#pending.get(id);
  }

  /** The calls that have not ended, the oldest first. */
  running(): RunningCall[] {
    return [...this.#pending.values()];
  }

  /**
   * Sends a call. Rejects with `plugin.timeout`, the signal's reason, or what `fail` is given.
   *
   * @param name who is to blame in an error, such as `Pack "x": ` or nothing.
   */
  call(plugin: string, call: PluginCall, name = ""): Promise<ToolOutcome> {
    const id = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<ToolOutcome>();
    const over = new AbortController();
    let give_up: ReturnType<typeof setTimeout> | undefined;
    const cancel = (why: "timeout" | "abort", error: unknown) => {
      this.#link.send({ type: "cancel", id, reason: error instanceof Error ? error.message : String(error) });
      give_up ??= setTimeout(() => {
        if (!this.#pending.delete(id)) return;
        reject(error);
        this.#link.unheeded(why, call.context.call_id);
      }, CANCEL_MS);
    };
    const onAbort = () => cancel("abort", call.signal.reason);
    const timer = setTimeout(() => {
      const message = `${name}${called(call)} did not end within ${Math.round(call.timeout_ms / 100) / 10} s`;
      cancel("timeout", new LuminaError("plugin.timeout", message));
    }, call.timeout_ms);
    call.signal.addEventListener("abort", onAbort, { once: true });
    const { tool, hook, input, context } = call;
    this.#pending.set(id, {
      call_id: context.call_id,
      call,
      chunks: [],
      resolve,
      reject,
      progress: call.progress,
      over,
    });
    this.#link.send({
      type: "call",
      id,
      plugin,
      tool,
      ...(hook === undefined ? {} : { hook }),
      input,
      context,
    });
    return promise.finally(() => {
      clearTimeout(timer);
      clearTimeout(give_up);
      call.signal.removeEventListener("abort", onAbort);
      over.abort(new ServiceError("failed", "The call has ended"));
    });
  }

  /** Takes a message of a call; one of a call that has ended is passed over. */
  receive(message: CallMessage): void {
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    switch (message.type) {
      case "progress":
        return pending.progress(message.text);
      case "chunk":
        pending.chunks.push(message.text);
        return this.#link.send({ type: "credit", id: message.id, bytes: byteLength(message.text) });
      case "request":
        return void this.#serve(pending, message);
      case "outcome": {
        this.#pending.delete(message.id);
        const { outcome } = message;
        // what a handler throws is its error's text
        const last = outcome.is_error === true ? withoutFlags(outcome.content) : outcome.content;
        return pending.resolve({ ...outcome, content: pending.chunks.join("") + last });
      }
    }
  }

  /** Refuses a request without serving it. */
  refuse(request: number, code: string, message: string): void {
    this.#link.send({ type: "answer", request, ok: false, code, message });
  }

  /** Rejects every call. */
  fail(error: unknown): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }

  async #serve(pending: Pending, message: WorkerMessage & { type: "request" }): Promise<void> {
    const { request, service, method, params } = message;
    try {
      if (this.#link.serve === undefined) {
        throw new ServiceError("unavailable", `There is no service ${service}.${method} here`);
      }
      const value = await this.#link.serve(
        pending.call_id,
        { service, method, params },
        pending.over.signal,
        pending.call,
      );
      this.#link.send({ type: "answer", request, ok: true, value });
    } catch (error) {
      // what is no ServiceError may hold words that are not for a plugin
      if (error instanceof ServiceError) this.refuse(request, error.code, error.message);
      else this.refuse(request, "failed", `The host could not do ${service}.${method}`);
    }
  }
}

function called({ tool, hook }: PluginCall): string {
  return hook === undefined ? tool : `its hook ${hook}`;
}
