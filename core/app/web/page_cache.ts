/** A page stays as it was for this long. */
const KEPT_MS = 15 * 60_000;
const MOST_PAGES = 50;
/** Characters of all pages together. */
const MOST_CHARS = 20_000_000;

/** What was read in a session, by address, for a quarter of an hour; the oldest go first. Kept in memory alone. */
export class PageCache<T extends { text: string }> {
  readonly #pages = new Map<string, { page: T; at: number }>();
  #chars = 0;

  /** `mono` is a monotonic clock in milliseconds. */
  constructor(private readonly mono: () => number) {}

  get(url: string): T | undefined {
    const found = this.#pages.get(url);
    if (found === undefined) return undefined;
    if (this.mono() - found.at < KEPT_MS) return found.page;
    this.#remove(url);
    return undefined;
  }

  put(url: string, page: T): void {
    this.#remove(url);
    if (page.text.length > MOST_CHARS) return;
    this.#pages.set(url, { page, at: this.mono() });
    this.#chars += page.text.length;
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MOST_PAGES && this.#chars <= MOST_CHARS) break;
      this.#remove(oldest);
    }
  }

  #remove(url: string): void {
    const found = this.#pages.get(url);
    if (found === undefined) return;
    this.#chars -= found.page.text.length;
    this.#pages.delete(url);
  }
}
