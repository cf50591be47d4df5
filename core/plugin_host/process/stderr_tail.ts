import { plainLines } from "./one_line.ts";

/** Bytes that are kept. */
const KEPT = 64 * 1024;
/** What is read at most in one pause: a pack that writes more waits, and the host does not. */
const READ = 512 * 1024;
const PAUSE_MS = 100;

/** Reads what a pack writes to standard error, at a bounded pace, and keeps the last 64 KiB. */
export class StderrTail {
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  #wake: () => void = () => {};
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
    this.ended = this.#read();
  }

  /** What was kept, without controls. */
  text(): string {
    const all = new Uint8Array(this.#bytes);
    let at = 0;
    for (const piece of this.#pieces) {
      all.set(piece, at);
      at += piece.length;
    }
    return plainLines(new TextDecoder().decode(all.subarray(-KEPT)), KEPT);
  }

  /** Stops reading. */
  async close(): Promise<void> {
    this.#wake();
    await this.#reader.cancel().catch(() => {}); // it has ended by itself
    await this.ended;
  }

  async #read(): Promise<void> {
    let burst = 0;
    for (;;) {
      const { value, done } = await this.#reader.read().catch(() => ({ value: undefined, done: true }));
      if (done || value === undefined) return;
      this.#pieces.push(value);
      this.#bytes += value.length;
      while (this.#bytes - (this.#pieces[0]?.length ?? 0) >= KEPT) {
        this.#bytes -= this.#pieces.shift()?.length ?? 0;
      }
      burst += value.length;
      if (burst < READ) continue;
      burst = 0;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, PAUSE_MS);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
