/** What `promise` gives, or `instead` as soon as the signal aborts; the promise is then left alone. */
export async function untilAborted<T, U>(
  promise: Promise<T>,
  signal: AbortSignal,
  instead: U,
): Promise<T | U> {
  const aborted = Promise.withResolvers<U>();
  const onAbort = () => aborted.resolve(instead);
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    promise.catch(() => {}); // left alone: its failure is nobody's any more
  }
}
