import { cleanTerminal } from "./clean_terminal.ts";

const EVERY_MS = 200;
const KEEP_BYTES = 8 * 1024;

/** Passes live output on to people: at once when it has been silent, else in one piece each 200 ms, the newest 8 KiB. */
export class ProgressFeed {
  readonly #send: (text: string) => void;
  readonly #decoder = new TextDecoder();
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  add(chunk: Uint8Array): void {
    if (this.#stopped) return;
    const newest = chunk.subarray(-KEEP_BYTES);
    this.#waiting.push(newest);
    this.#bytes += newest.length;
    while (this.#bytes - this.#waiting[0]!.length >= KEEP_BYTES) this.#bytes -= this.#waiting.shift()!.length;
    if (this.#timer === undefined) this.#flush();
  }

  /** Sends nothing more and leaves no timer behind. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #flush(): void {
    const text = this.#waiting.map((chunk) => this.#decoder.decode(chunk, { stream: true })).join("");
    this.#waiting = [];
    this.#bytes = 0;
    if (text !== "") this.#send(cleanTerminal(text));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#bytes > 0) this.#flush();
    }, EVERY_MS);
  }
}
