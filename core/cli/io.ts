/** The process's streams and signals as the command line uses them. */
export interface CliIo {
  /** Writes all of it, waiting for a slow reader. */
  out(text: string): Promise<void>;
  err(text: string): void;
  stdin: ReadableStream<Uint8Array>;
  stdin_is_terminal: boolean;
}

const encoder = new TextEncoder();

/** The real streams. A reader that closed its end ends the output silently, as `head` expects. */
export function processIo(): CliIo {
  let broken = false;
  let queue: Promise<void> = Promise.resolve();
  const write = async (bytes: Uint8Array): Promise<void> => {
    for (let sent = 0; sent < bytes.length && !broken;) {
      try {
        sent += await Deno.stdout.write(bytes.subarray(sent));
      } catch (error) {
        if (!(error instanceof Deno.errors.BrokenPipe)) throw error;
        broken = true;
      }
    }
  };
  return {
    out(text) {
      queue = queue.then(() => write(encoder.encode(text)));
      return queue;
    },
    err(text) {
      const bytes = encoder.encode(text);
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
