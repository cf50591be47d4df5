import { errorMessage, LuminaError } from "../base/mod.ts";
import { visibleControls } from "./visible_controls.ts";

/** The process's streams and signals as the command line uses them. */
export interface CliIo {
  /** Writes all of it, waiting for a slow reader; to a terminal without what it would obey. Never rejects: `flushed` tells what failed. */
  out(text: string): Promise<void>;
  /** Resolves when everything has left. Throws `cli.output` (exit 1) when something could not be written. */
  flushed(): Promise<void>;
  /** For people, and so without what a terminal would obey. */
  err(text: string): void;
  stdin: ReadableStream<Uint8Array>;
  stdin_is_terminal: boolean;
}

const encoder = new TextEncoder();

/**
 * The real streams. A reader that closed its end ends the output silently, as `head` expects; so does a failure, which
 * is told once at the end: what runs is in the journal, whoever reads along.
 */
export function processIo(): CliIo {
  const terminal = Deno.stdout.isTerminal();
  let broken = false;
  let failure: LuminaError | undefined;
  let queue: Promise<void> = Promise.resolve();
  const write = async (bytes: Uint8Array): Promise<void> => {
    for (let sent = 0; sent < bytes.length && !broken;) {
      try {
        sent += await Deno.stdout.write(bytes.subarray(sent));
      } catch (error) {
        broken = true;
        if (error instanceof Deno.errors.BrokenPipe) return;
        const message = `Cannot write to standard output: ${
          errorMessage(error)
        }; what came after it is missing there`;
        failure = new LuminaError("cli.output", message, { cause: error });
      }
    }
  };
  return {
    out(text) {
      const shown = terminal ? visibleControls(text) : text;
      queue = queue.then(() => write(encoder.encode(shown)));
      return queue;
    },
    async flushed() {
      await queue;
      if (failure !== undefined) throw failure;
    },
    err(text) {
      const bytes = encoder.encode(visibleControls(text));
      try {
        for (let sent = 0; sent < bytes.length;) sent += Deno.stderr.writeSync(bytes.subarray(sent));
      } catch (error) {
        if (!(error instanceof Deno.errors.BrokenPipe)) throw error; // nobody reads the errors
      }
    },
    get stdin() {
      return Deno.stdin.readable;
    },
    get stdin_is_terminal() {
      return Deno.stdin.isTerminal();
    },
  };
}
