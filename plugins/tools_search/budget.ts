/** Limits of one search. */
export interface SearchLimits {
  /** Wall time, milliseconds, after which a search ends with what it has. */
  time_ms: number;
  /** Bytes of files read. */
  bytes: number;
  /** Characters of the answer. */
  output_chars: number;
}

export const DEFAULT_LIMITS: SearchLimits = {
  time_ms: 20_000,
  bytes: 8 * 1024 ** 3,
  output_chars: 100_000,
};

/** Longest stretch without letting the worker hear an abort or serve another call, milliseconds. */
const SLICE_MS = 10;

/** Ends a search that has used up its time or bytes; the message completes "stopped after …". */
export class BudgetSpent extends Error {
  override readonly name = "BudgetSpent";
}

/** Watches the time, the bytes and the abort signal of one search. */
export class Budget {
  readonly #limits: SearchLimits;
  readonly #signal: AbortSignal;
  readonly #started = performance.now();
  #pauseAt = this.#started + SLICE_MS;

  constructor(limits: SearchLimits, signal: AbortSignal) {
    this.#limits = limits;
    this.#signal = signal;
  }

  /** True when `pause` is due; cheap, so that the usual case costs no promise. */
  get due(): boolean {
    return performance.now() >= this.#pauseAt;
  }

  /** Lets messages in when a slice is over. Throws the signal's reason, or `BudgetSpent`. */
  async pause(bytes: number): Promise<void> {
    if (bytes > this.#limits.bytes) throw new BudgetSpent(`${bytes} bytes read`);
    if (!this.due) return;
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#signal.throwIfAborted();
    const now = performance.now();
    if (now - this.#started > this.#limits.time_ms) throw new BudgetSpent(`${this.#limits.time_ms / 1000} s`);
    this.#pauseAt = now + SLICE_MS;
  }
}
