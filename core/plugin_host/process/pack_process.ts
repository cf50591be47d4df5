import { LuminaError } from "../../base/mod.ts";
import { API_VERSION, RPC_VERSION } from "../../plugin_api/mod.ts";
import type { Grant, HostMessage, PackLimits, ToolOutcome, WorkerMessage } from "../../plugin_api/mod.ts";
import type { Json } from "../../types/mod.ts";
import { PluginCalls } from "../plugin_calls.ts";
import type { CallMessage, PluginCall } from "../plugin_calls.ts";
import type { PackRequest } from "../services/service_port.ts";
import { parseBoundedJson } from "./bounded_json.ts";
import { CallMeter } from "./call_meter.ts";
import { encodeFrame, FrameError, readFrames } from "./frames.ts";
import type { InitFrame } from "./init_frame.ts";
import { oneLine } from "./one_line.ts";
import { packMessage } from "./pack_message.ts";
import { ProcessGroup } from "./process_group.ts";
import type { ProcessTable } from "./process_table.ts";
import type { ProgramCommand } from "./program_command.ts";
import { quotaError } from "./quota.ts";
import type { QuotaName, QuotaTrip } from "./quota.ts";
import { QuotaWatch } from "./quota_watch.ts";
import { StderrTail } from "./stderr_tail.ts";

/** How long a closing process may take to end what it holds, milliseconds. */
const CLOSE_MS = 1_500;
/** How long a process may take to end after its output has, milliseconds. */
const END_MS = 200;
/** Requests that are served at a time, and bytes of them. */
const MAX_SERVED = 32;
const MAX_SERVED_BYTES = 16 * 1024 * 1024;
/** Bytes that may wait for a pack which does not read. */
const MAX_UNSENT = 64 * 1024 * 1024;

/** What a pack's process needs. */
export interface PackProcessOptions {
  pack: string;
  tools: string[];
  hooks: string[];
  entry: Uint8Array;
  sha256: string;
  grant: Grant;
  variables: Record<string, string>;
  limits: PackLimits;
  data_dir: string;
  table: ProcessTable;
  command: ProgramCommand;
  /** Milliseconds until `hello`. */
  hello_ms: number;
  serve?(call_id: string, request: PackRequest, signal: AbortSignal, call: PluginCall): Promise<Json>;
  /** It has ended by a fault of the pack. */
  onFault(fault: PackFault): void;
}

/** Why a process ended that should not have. */
export interface PackFault {
  error: LuminaError;
  /** True when trying again cannot help: the same bytes would do the same, or somebody means harm. */
  final: boolean;
  trip?: QuotaTrip;
  /** The last 64 KiB of standard error, without controls. */
  stderr: string;
}

/** Quotas that no honest pack passes by accident. */
const HOSTILE: readonly QuotaName[] = ["flood", "frame_bytes", "processes", "rss_mib"];

/** One process of one pack, from its start to its end. */
export class PackProcess {
  #options: PackProcessOptions;
  #child: Deno.ChildProcess;
  #input: WritableStreamDefaultWriter<Uint8Array>;
  #stderr: StderrTail;
  #group: ProcessGroup;
  #calls: PluginCalls;
  #meter: CallMeter;
  #ready = Promise.withResolvers<void>();
  #closed = Promise.withResolvers<void>();
  #over: Promise<void> | undefined;
  #hello: ReturnType<typeof setTimeout>;
  #watch: QuotaWatch;
  #is_ready = false;
  #waiting = 0;
  #busy = false;
  #unsent = 0;
  #served = 0;
  #served_bytes = 0;

  /** Throws `plugin.crashed` when the program cannot be started again. */
  constructor(options: PackProcessOptions) {
    this.#options = options;
    const { pack, grant, limits } = options;
    const { program, args } = options.command;
    try {
      this.#child = new Deno.Command(program, {
        args,
        clearEnv: true,
        cwd: options.data_dir,
        stdin: "piped",
        stdout: "piped",
        stderr: "piped",
        detached: true,
      }).spawn();
    } catch (error) {
      throw new LuminaError(
        "plugin.crashed",
        `Pack "${pack}": its process cannot be started: ${oneLine(String(error))}`,
        {
          cause: error,
        },
      );
    }
    this.#input = this.#child.stdin.getWriter();
    this.#stderr = new StderrTail(this.#child.stderr);
    this.#group = new ProcessGroup(this.#child.pid, options.table, grant.run.length > 0);
    this.#meter = new CallMeter(limits);
    const { serve } = options;
    this.#calls = new PluginCalls({
      send: (message) => this.#send(message),
      unheeded: (why) => this.#unheeded(why),
      ...(serve === undefined ? {} : { serve: (...request) => this.#serve(serve(...request)) }),
    });
    this.#ready.promise.catch(() => {}); // every call that waits for it hears of it
    this.#hello = setTimeout(() => {
      const seconds = options.hello_ms / 1000;
      this.#fault(this.#error("plugin.load", `it was not loaded within ${seconds} s`), true);
    }, options.hello_ms);
    this.#sendFrame(encodeFrame(
      {
        type: "init",
        version: RPC_VERSION,
        pack,
        tools: options.tools,
        hooks: options.hooks,
        entry: options.entry.toBase64(),
        sha256: options.sha256,
        grant,
        variables: options.variables,
        frame_bytes: limits.frame_bytes,
      } satisfies InitFrame,
    ));
    this.#watch = new QuotaWatch(this.#group, limits, (...trip) => this.#trip(...trip));
    void this.#read();
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** True from the moment it is being ended. */
  get over(): boolean {
    return this.#over !== undefined;
  }

  /** True when nothing runs. */
  get resting(): boolean {
    return this.#calls.size === 0 && this.#waiting === 0;
  }

  /** True when nothing runs and the pack says that it holds nothing. */
  get idle(): boolean {
    return this.resting && !this.#busy;
  }

  /** Throws `plugin.*` errors that name the pack, or the signal's reason. */
  async call(call: PluginCall): Promise<ToolOutcome> {
    const { signal } = call;
    signal.throwIfAborted();
    this.#waiting++;
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await Promise.race([this.#ready.promise, aborted.promise]);
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#waiting--;
    }
    signal.throwIfAborted();
    const { pack } = this.#options;
    return await this.#watch.during(() => this.#calls.call(pack, call, `Pack "${pack}": `));
  }

  /** Asks the pack to end what it holds, waits a bounded time, then ends the whole group. */
  async close(): Promise<void> {
    if (!this.over && this.#is_ready) {
      this.#send({ type: "close" });
      const timer = setTimeout(() => this.#closed.resolve(), CLOSE_MS);
      await this.#closed.promise;
      clearTimeout(timer);
    }
    await this.#end(this.#error("plugin.closed", "its process has ended"));
  }

  async #read(): Promise<void> {
    try {
      for await (const frame of readFrames(this.#child.stdout, this.#options.limits.frame_bytes)) {
        if (this.over) return;
        const flood = this.#meter.frame();
        if (flood !== undefined) return this.#trip(flood.quota, flood.value, flood.limit);
        this.#receive(packMessage(parseBoundedJson(frame)), frame.length);
      }
    } catch (error) {
      return this.#badMessage(error as Error);
    }
    if (!this.over) await this.#ended();
  }

  #badMessage(error: Error): void {
    const length = error instanceof FrameError ? error.length : undefined;
    if (length === undefined) {
      this.#fault(this.#error("plugin.protocol", `it sent ${oneLine(error.message)}`), true);
    } else if (isText(length)) {
      const text =
        "it wrote text to standard output, which carries its messages: console.error is for people";
      this.#fault(this.#error("plugin.protocol", text), true);
    } else this.#trip("frame_bytes", length, this.#options.limits.frame_bytes);
  }

  /** Its output has ended, so it has, or it can say nothing any more. */
  async #ended(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<undefined>((resolve) => timer = setTimeout(() => resolve(undefined), END_MS));
    const status = await Promise.race([this.#child.status, late]);
    clearTimeout(timer);
    const how = status === undefined
      ? "closed its output"
      : status.signal === null
      ? `ended with exit code ${status.code}`
      : `was ended by ${status.signal}`;
    const last = oneLine(this.#stderr.text().trim().split("\n").at(-1) ?? "", 200);
    this.#fault(this.#error("plugin.crashed", `its process ${how}${last === "" ? "" : `: ${last}`}`), false);
  }

  #receive(message: WorkerMessage, bytes: number): void {
    if (message.type === "failed") {
      const what = oneLine(message.message);
      if (this.#is_ready) this.#fault(this.#error("plugin.crashed", `it has broken: ${what}`), false);
      else this.#fault(this.#error("plugin.load", `it cannot be loaded: ${what}`), true);
    } else if (message.type === "hello") this.#greet(message.version, message.api, bytes);
    else if (!this.#is_ready) {
      this.#fault(this.#error("plugin.protocol", "it sent a message before its first one"), true);
    } else if (message.type === "closed") {
      this.#closed.resolve();
      this.#countStray(bytes);
    } else if (message.type === "notice") this.#countStray(bytes); // only bundled plugins have a say between calls
    else this.#receiveOfCall(message, bytes);
  }

  #greet(version: number, api: number, bytes: number): void {
    if (version !== RPC_VERSION || api !== API_VERSION) {
      const text =
        `it speaks RPC ${version} and API ${api}, this program ${RPC_VERSION} and ${API_VERSION}: ` +
        "it needs another version";
      return this.#fault(this.#error("plugin.version", text), true);
    }
    clearTimeout(this.#hello);
    if (this.#is_ready) return this.#countStray(bytes);
    this.#is_ready = true;
    this.#ready.resolve();
  }

  #countStray(bytes: number, id?: number): void {
    const flood = this.#meter.stray(bytes, id);
    if (flood !== undefined) this.#trip(flood.quota, flood.value, flood.limit);
  }

  #receiveOfCall(message: CallMessage, bytes: number): void {
    if (this.#calls.find(message.id) === undefined) {
      // late, for a call that has been given up; or for none that there ever was
      return this.#countStray(bytes, message.id);
    }
    const judged = this.#meter.message(message);
    if (typeof judged === "object") return this.#trip(judged.quota, judged.value, judged.limit);
    if (judged === "drop") return;
    if (message.type === "outcome") this.#busy = message.busy;
    if (message.type === "request") {
      if (this.#served >= MAX_SERVED || this.#served_bytes + bytes > MAX_SERVED_BYTES) {
        return this.#calls.refuse(
          message.request,
          "quota",
          "Too many requests at a time: wait for answers first",
        );
      }
      this.#serving = bytes;
    }
    this.#calls.receive(message);
  }

  /** Bytes of the request that is being handed over; read synchronously by `#serve`. */
  #serving = 0;

  async #serve(answer: Promise<Json>): Promise<Json> {
    const bytes = this.#serving;
    this.#served++;
    this.#served_bytes += bytes;
    try {
      return await answer;
    } finally {
      this.#served--;
      this.#served_bytes -= bytes;
    }
  }

  #send(message: HostMessage): void {
    if (this.over) return;
    const frame = encodeFrame(message);
    if (message.type === "answer" && frame.length > this.#options.limits.frame_bytes) {
      return this.#calls.refuse(message.request, "quota", "The answer is larger than a message may be");
    }
    this.#sendFrame(frame);
  }

  #sendFrame(frame: Uint8Array): void {
    this.#unsent += frame.length;
    if (this.#unsent > MAX_UNSENT) {
      return this.#fault(this.#error("plugin.protocol", "it does not read what it is sent"), true);
    }
    this.#input.write(frame).then(() => this.#unsent -= frame.length, () => {
      // its end is seen by whoever reads from it
    });
  }

  #unheeded(why: "timeout" | "abort"): void {
    const error = this.#error(
      "plugin.crashed",
      "its process was ended: a call did not heed its cancellation",
    );
    if (why === "timeout") this.#fault(error, false);
    else void this.#end(error);
  }

  #trip(quota: QuotaName, value: number, limit: number): void {
    const call_id = this.#calls.running()[0]?.call_id;
    const trip: QuotaTrip = {
      pack: this.#options.pack,
      quota,
      limit,
      value: Math.ceil(value),
      ...(call_id === undefined ? {} : { call_id }),
    };
    this.#fault(quotaError(trip), HOSTILE.includes(quota), trip);
  }

  #error(code: string, what: string): LuminaError {
    return new LuminaError(code, `Pack "${this.#options.pack}": ${what}`);
  }

  #fault(error: LuminaError, final: boolean, trip?: QuotaTrip): void {
    if (this.over) return;
    const stderr = this.#stderr.text();
    void this.#end(error);
    this.#options.onFault({ error, final, stderr, ...(trip === undefined ? {} : { trip }) });
  }

  #end(error: LuminaError): Promise<void> {
    return this.#over ??= this.#endNow(error);
  }

  async #endNow(error: LuminaError): Promise<void> {
    clearTimeout(this.#hello);
    const killed = this.#group.kill();
    this.#calls.fail(error);
    this.#ready.reject(error);
    this.#closed.resolve();
    await killed;
    await this.#child.status;
    await this.#input.abort().catch(() => {}); // its end of the pipe is gone
    await this.#stderr.close();
    await this.#watch.stop();
  }
}

/** True when the length of a message is really the beginning of a text. */
function isText(length: number): boolean {
  return [24, 16, 8, 0].every((shift) => {
    const byte = (length >>> shift) & 0xff;
    return byte === 0x09 || byte === 0x0a || byte === 0x0d || byte === 0x1b || (byte >= 0x20 && byte < 0x7f);
  });
}
