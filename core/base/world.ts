/** Time, chance and ids as a value, so that tests can decide them. */
export interface World {
  /** Wall clock, milliseconds since 1970. */
  now(): number;
  /** Monotonic clock in milliseconds; for every duration and time limit. */
  mono(): number;
  /** A random number in [0, 1). */
  random(): number;
  /** A new UUID v4. */
  uuid(): string;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Told of the places where a crash must lose nothing and do nothing twice. Only the world of a fault test has it. */
  failpoint?(name: string): void;
  /** Told who comes when in which run, before he comes. Only the world of a test has it. */
  stage?(run_id: string, stage: string, participant: string): void;
}

/** The real world. */
export const systemWorld: World = {
  now: () => Date.now(),
  mono: () => performance.now(),
  random: () => Math.random(),
  uuid: () => crypto.randomUUID(),
  sleep(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, ms);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  },
};
