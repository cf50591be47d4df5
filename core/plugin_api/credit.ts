import { CREDIT_BYTES } from "./rpc.ts";

/** Most UTF-16 units of one chunk: at three bytes each they fit into the credit of a call that has sent nothing. */
const PIECE_UNITS = Math.floor(CREDIT_BYTES / 4);

/**
 * What a call may still send. Whoever produces waits for room, so that a slow host is never flooded. `take` rejects when the
 * call is cancelled.
 */
export class Credit {
  #left = CREDIT_BYTES;
  #waiting: (() => void)[] = [];
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake(), { once: true });
  }

  /** The text in pieces that fit; never cuts a surrogate pair. */
  pieces(text: string): string[] {
    const pieces: string[] = [];
    for (let start = 0; start < text.length;) {
      let end = Math.min(text.length, start + PIECE_UNITS);
      const last = text.charCodeAt(end - 1);
      if (end < text.length && last >= 0xd800 && last <= 0xdbff) end--;
      pieces.push(text.slice(start, end));
      start = end;
    }
    return pieces;
  }

  /** Resolves when the piece may be sent. */
  async take(piece: string): Promise<void> {
    const bytes = byteLength(piece);
    for (;;) {
      this.#signal.throwIfAborted();
      if (this.#left >= bytes) break;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#left -= bytes;
  }

  /** The host has taken so many bytes. */
  give(bytes: number): void {
    this.#left += bytes;
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
