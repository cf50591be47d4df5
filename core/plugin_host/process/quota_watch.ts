import type { PackLimits } from "../../plugin_api/mod.ts";
import type { ProcessGroup } from "./process_group.ts";

/** How often a group is looked at while a call runs, and else, milliseconds. */
const LOOK_MS = 200;
const IDLE_LOOK_MS = 1_000;

/** Looks at what a pack's processes use, now and again, and says when that is too much. */
export class QuotaWatch {
  readonly #group: ProcessGroup;
  readonly #limits: PackLimits;
  readonly #onTrip: (quota: keyof PackLimits, value: number, limit: number) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: Promise<void> = Promise.resolve();
  #stopped = false;
  #cpu = 0;
  /** What had been used when each call began. */
  #calls = new Map<object, number>();
  /** What had been used when the last call ended; a pack may do something between calls, and no more than in one. */
  #rest: number | undefined;

  constructor(
    group: ProcessGroup,
    limits: PackLimits,
    onTrip: (quota: keyof PackLimits, value: number, limit: number) => void,
  ) {
    this.#group = group;
    this.#limits = limits;
    this.#onTrip = onTrip;
    this.#wait();
  }

  /** Counts what is used while `body` runs. */
  async during<T>(body: () => Promise<T>): Promise<T> {
    const call = {};
    this.#calls.set(call, this.#cpu);
    this.#wait(); // less long than without a call
    try {
      return await body();
    } finally {
      this.#calls.delete(call);
    }
  }

  /** Resolves when nothing is being looked at any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#look().finally(() => this.#wait());
    }, this.#calls.size > 0 ? LOOK_MS : IDLE_LOOK_MS);
    Deno.unrefTimer(Number(this.#timer));
  }

  async #look(): Promise<void> {
    const use = await this.#group.use();
    if (use === undefined || this.#stopped) return;
    const { rss_mib, processes, cpu_seconds_per_call } = this.#limits;
    this.#cpu = Math.max(this.#cpu, use.cpu_seconds);
    if (use.processes > processes) return this.#onTrip("processes", use.processes, processes);
    if (use.memory_mib > rss_mib) return this.#onTrip("rss_mib", use.memory_mib, rss_mib);
    this.#rest = this.#calls.size > 0 ? undefined : this.#rest ?? this.#cpu;
    for (const before of [...this.#calls.values(), this.#rest ?? this.#cpu]) {
      const used = this.#cpu - before;
      if (used > cpu_seconds_per_call) {
        return this.#onTrip("cpu_seconds_per_call", used, cpu_seconds_per_call);
      }
    }
  }
}
