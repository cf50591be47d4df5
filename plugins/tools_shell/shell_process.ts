import { delay } from "./delay.ts";
import type { OutputSink } from "./output_sink.ts";
import { readControl } from "./prelude.ts";

/** How to start a command. */
export interface ShellStart {
  program: string;
  args: string[];
  cwd: string;
  /** The child's whole environment. */
  env: Record<string, string>;
  sink: OutputSink;
  quota_bytes: number;
  /** Called when the output passes `quota_bytes` or cannot be stored: nothing more is kept, the command should end. */
  onFull: () => void;
  /** Sees every chunk as it comes. */
  onChunk?: (chunk: Uint8Array) => void;
}

/** How the shell ended. */
export interface ShellEnd {
  code: number;
  signal: string | null;
  /** Where the shell ended, when it told. */
  cwd: string | undefined;
  /** True when something still holds the command's descriptors. */
  held: boolean;
}

/** A pipe of Linux holds at most this much, unless its reader or writer asked for more. */
const PIPE_BYTES = 1024 * 1024;
const CONTROL_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
const TICK_MS = 10;
const QUIET_TICKS = 3;

/**
 * A running command in a session and process group of its own; `pid` leads the group. Its output flows into the sink
 * until the last process that holds the pipe is gone, however long that is after the shell itself has ended.
 */
export class ShellProcess {
  readonly pid: number;
  /** Monotonic milliseconds. */
  readonly started = performance.now();
  /** Settles when the shell itself has ended and what it wrote is stored; never waits for its children. */
  readonly ended: Promise<ShellEnd>;
  #open = 2;
  #storing = 0;
  #received = 0;
  #last_byte = NEWLINE;
  #control = new Uint8Array();
  #failure: unknown;
  readonly #start: ShellStart;
  readonly #child: Deno.ChildProcess;
  readonly #streams_ended: Promise<unknown>;
  readonly #readers: ReadableStreamDefaultReader<Uint8Array>[] = [];

  /** Starts the command. Throws what `Deno.Command` throws when the program or the folder is not there. */
  constructor(start: ShellStart) {
    this.#start = start;
    const child = new Deno.Command(start.program, {
      args: start.args,
      cwd: start.cwd,
      clearEnv: true,
      env: start.env,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
      detached: true,
    }).spawn();
    this.#child = child;
    this.pid = child.pid;
    this.#streams_ended = Promise.all([
      this.#pump(child.stdout, (chunk) => this.#store(chunk)),
      this.#pump(child.stderr, (chunk) => this.#keepControl(chunk)),
    ]);
    this.ended = child.status.then((status) => this.#afterExit(status));
  }

  /** True while some process can still write to the command's output. */
  get held(): boolean {
    return this.#open > 0;
  }

  /** Settles when the last process that could write to the command's output is gone. */
  get closed(): Promise<unknown> {
    return this.#streams_ended;
  }

  /** Ends the program itself at once, not what it has started; one that has ended is passed over. */
  kill(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  /** Stops reading. Who still writes gets a broken pipe. */
  async stopReading(): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader.cancel().catch(() => {/* ended by itself */})));
    await this.#streams_ended;
  }

  async #afterExit(status: Deno.CommandStatus): Promise<ShellEnd> {
    await this.#drain();
    if (this.#failure !== undefined) throw this.#failure;
    const { cwd, rest } = readControl(this.#control);
    if (rest.length > 0) await this.#storeMessages(rest);
    return { code: status.code, signal: status.signal, cwd, held: this.held };
  }

  /**
   * Reads what was written before the exit: to the end where nobody else holds the pipe, else until the pipe was
   * empty for some turns of the event loop, or more came than a pipe can have held at that moment.
   */
  async #drain(): Promise<void> {
    const at_exit = this.#received;
    const stop = new AbortController();
    this.#streams_ended.then(() => stop.abort());
    let seen = at_exit;
    for (let quiet = 0; this.held && quiet < QUIET_TICKS && seen - at_exit <= PIPE_BYTES;) {
      await delay(TICK_MS, stop.signal);
      quiet = this.#received === seen && this.#storing === 0 ? quiet + 1 : 0;
      seen = this.#received;
    }
  }

  async #pump(
    stream: ReadableStream<Uint8Array>,
    take: (chunk: Uint8Array) => Promise<void> | void,
  ): Promise<void> {
    const reader = stream.getReader();
    this.#readers.push(reader);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        this.#received += value.length;
        this.#storing++;
        try {
          await take(value);
        } finally {
          this.#storing--;
        }
      }
    } catch (error) {
      // The disk is full or gone: the output would fill memory, so its pipe is closed and the call tells why.
      const why = error instanceof Error ? error.message : String(error);
      this.#failure ??= new Error(
        `Cannot store the output in ${this.#start.sink.path}: ${why}; the command was ended`,
        { cause: error },
      );
      this.#start.onFull();
      await reader.cancel().catch(() => {/* the first error is the one to tell */});
    } finally {
      this.#open--;
    }
  }

  async #store(chunk: Uint8Array): Promise<void> {
    const { sink, quota_bytes, onFull, onChunk } = this.#start;
    const room = quota_bytes - sink.total;
    if (room > 0) await sink.append(chunk.length > room ? chunk.subarray(0, room) : chunk);
    if (room > 0 && chunk.length >= room) onFull();
    this.#last_byte = chunk.at(-1) ?? this.#last_byte;
    onChunk?.(chunk);
  }

  /** Messages of the shell or the sandbox from before the prelude; they start a line of their own. */
  async #storeMessages(messages: Uint8Array): Promise<void> {
    if (this.#last_byte !== NEWLINE) await this.#store(Uint8Array.of(NEWLINE));
    await this.#store(messages);
  }

  #keepControl(chunk: Uint8Array): void {
    if (this.#control.length > CONTROL_BYTES) return;
    const joined = new Uint8Array(this.#control.length + chunk.length);
    joined.set(this.#control);
    joined.set(chunk, this.#control.length);
    this.#control = joined;
  }
}
