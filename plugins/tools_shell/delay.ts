/** Resolves after `ms`, or at once when the signal aborts; never rejects and leaves no timer behind. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** Waits for `promise` at most `ms`; true when it settled, either way. Leaves no timer behind. */
export async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const over = new AbortController();
  let settled = false;
  const settle = () => {
    settled = true;
    over.abort();
  };
  promise.then(settle, settle);
  await delay(ms, over.signal);
  return settled;
}
