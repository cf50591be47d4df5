/** Tokens of one or several model calls. `input` excludes what was read from or written to the provider's cache. */
export interface Usage {
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
}

/** No tokens at all. */
export const NO_USAGE: Usage = { input: 0, output: 0, cache_read: 0, cache_write: 0 };

/** The sum of two usages. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cache_read: a.cache_read + b.cache_read,
    cache_write: a.cache_write + b.cache_write,
  };
}
