/** Keeps the newest of many files; the memory it needs does not grow with their number. */
export class NewestFiles {
  readonly #most: number;
  #kept: { path: string; mtime: number }[] = [];
  /** How many were added. */
  total = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Adds a file; `real` is where its time of change is looked up. */
  add(path: string, real: string): void {
    let mtime = 0;
    try {
      mtime = Deno.lstatSync(real).mtime?.getTime() ?? 0;
    } catch {
      return; // gone since its directory was read: it is no result
    }
    this.total++;
    this.#kept.push({ path, mtime });
    if (this.#kept.length > 20 * this.#most) this.#cut();
  }

  /** The newest first; of the same age, by name. */
  paths(): string[] {
    this.#cut();
    return this.#kept.map(({ path }) => path);
  }

  #cut(): void {
    this.#kept.sort((a, b) => b.mtime - a.mtime || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
    this.#kept.length = Math.min(this.#kept.length, this.#most);
  }
}
