import type { World } from "../base/mod.ts";

/**
 * Calls `onExpire` once when it has been armed for `idle_ms` without a break. One timer serves the whole response, so
 * arming and disarming cost nothing. Always `stop()` it.
 */
export class IdleWatchdog {
  #armedAt: number | null = null;
  #limit: number;
  readonly #stopped = new AbortController();

  constructor(private readonly world: World, idleMs: number, private readonly onExpire: () => void) {
    this.#limit = idleMs;
    this.#run();
  }

  /** Starts counting, from now. */
  arm(): void {
    this.#armedAt = this.world.mono();
  }

  /** Stops counting. */
  disarm(): void {
    this.#armedAt = null;
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const now = this.world.mono();
      const left = (this.#armedAt ?? now) + this.#limit - now;
      if (left <= 0) {
        this.onExpire();
        return;
      }
      try {
        await this.world.sleep(left, this.#stopped.signal);
      } catch {
        return; // stopped
      }
    }
  }
}
