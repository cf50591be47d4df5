import { LuminaError } from "../../base/mod.ts";

/** How long the next start waits after each fault, milliseconds; after one more the pack is disabled. */
const BACK_OFF_MS = [0, 1_000, 5_000, 30_000];

/** The faults of one pack in a session. */
export class CrashRecord {
  readonly #pack: string;
  readonly #back_off: readonly number[];
  #until = 0;
  #crashes = 0;
  #disabled: string | undefined;

  constructor(pack: string, back_off: readonly number[] = BACK_OFF_MS) {
    this.#pack = pack;
    this.#back_off = back_off;
  }

  get crashes(): number {
    return this.#crashes;
  }

  /** Why the pack is not tried again in this session. */
  get disabled(): string | undefined {
    return this.#disabled;
  }

  /** One more fault. */
  add(error: LuminaError, final: boolean): void {
    const wait = this.#back_off[this.#crashes++];
    if (final) this.#disabled ??= error.message;
    else if (wait === undefined) {
      this.#disabled ??= `it has failed ${this.#crashes} times, at last so: ${error.message}`;
    } else this.#until = performance.now() + wait;
  }

  /** Throws `plugin.disabled`. */
  assertUsable(): void {
    if (this.#disabled === undefined) return;
    const why = this.#disabled.replace(`Pack "${this.#pack}": `, "");
    throw new LuminaError("plugin.disabled", `Pack "${this.#pack}" is disabled for this session: ${why}`);
  }

  /**
   * Resolves when the pack may be started again; rejects with the signal's reason, or at once with `plugin.waiting` where that
   * is more than `most_ms` away.
   */
  async wait(signal: AbortSignal, most_ms = Infinity): Promise<void> {
    const left = this.#until - performance.now();
    if (left <= 0) return;
    if (left > most_ms) {
      const seconds = Math.ceil(left / 1000);
      const text = `Pack "${this.#pack}": it has failed and is tried again in ${seconds} s`;
      throw new LuminaError("plugin.waiting", text);
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      }, left);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }
}
