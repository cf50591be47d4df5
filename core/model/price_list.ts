/** Prices as settings give them: `[input, output, cache read, cache write]` by the name of a model, or its beginning with `*`. */
export type PriceList = Readonly<Record<string, readonly number[]>>;
