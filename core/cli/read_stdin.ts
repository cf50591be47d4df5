import { EXIT, LuminaError } from "../base/mod.ts";

/** Piped input may have this many bytes. */
export const MAX_STDIN_BYTES = 10 * 1024 * 1024;
/** How long an open but silent pipe is waited for when there is a prompt already, milliseconds. */
const SILENT_MS = 3_000;

/**
 * Reads piped standard input as text. With `optional`, a pipe that says nothing for three seconds counts as empty
 * (it was inherited, not meant). Throws `cli.stdin` over 10 MB and when it is not UTF-8.
 */
export async function readPipedText(
  stdin: ReadableStream<Uint8Array>,
  options: { optional: boolean; warn(text: string): void },
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = stdin.getReader();
  try {
    while (true) {
      const next = reader.read();
      const part = size === 0 && options.optional ? await orSilence(next) : await next;
      if (part === "silence") {
        options.warn("Standard input is open but silent: going on without it (give < /dev/null to be sure)");
        break;
      }
      if (part.done) break;
      size += part.value.length;
      if (size > MAX_STDIN_BYTES) {
        throw new LuminaError(
          "cli.stdin",
          `Cannot read standard input: it has more than ${MAX_STDIN_BYTES} bytes; put it into a file and name the file`,
          { exit: EXIT.usage },
        );
      }
      chunks.push(part.value);
    }
  } finally {
    reader.releaseLock();
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      await new Blob(chunks as BlobPart[]).arrayBuffer(),
    );
  } catch {
    throw new LuminaError(
      "cli.stdin",
      "Cannot read standard input: it is not UTF-8 text; put it into a file and name the file",
      { exit: EXIT.usage },
    );
  }
}

type Read = ReadableStreamReadResult<Uint8Array>;

async function orSilence(read: Promise<Read>): Promise<Read | "silence"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<"silence">((resolve) => {
    timer = setTimeout(() => resolve("silence"), SILENT_MS);
  });
  try {
    return await Promise.race([read, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** The lines of a stream, without their ends; a line over the cap throws `cli.stdin`. */
export async function* readLines(stdin: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // the pieces of the line that has not ended: a long one must not be looked through again with each chunk
  const pieces: string[] = [];
  let length = 0;
  const whole = () => pieces.splice(0).join("");
  for await (const chunk of stdin) {
    const lines = decoder.decode(chunk, { stream: true }).split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      pieces.push(line);
      length = 0;
      yield whole().replace(/\r$/, "");
    }
    pieces.push(rest);
    length += rest.length;
    if (length > MAX_STDIN_BYTES) {
      throw new LuminaError("cli.stdin", `A line on standard input has more than ${MAX_STDIN_BYTES} bytes`, {
        exit: EXIT.protocol,
      });
    }
  }
  pieces.push(decoder.decode());
  const last = whole();
  if (last !== "") yield last;
}
