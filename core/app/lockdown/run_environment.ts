/** Where variables are read. */
export interface Environment {
  get(name: string): string | undefined;
  toObject(): Record<string, string>;
}

/** The environment of the process; after `freeze` as it was then, for a process that gives up reading it. */
export class RunEnvironment implements Environment {
  #kept: Readonly<Record<string, string>> | undefined;

  get(name: string): string | undefined {
    if (this.#kept === undefined) return Deno.env.get(name);
    return Object.hasOwn(this.#kept, name) ? this.#kept[name] : undefined;
  }

  toObject(): Record<string, string> {
    return { ...this.#kept ?? Deno.env.toObject() };
  }

  freeze(): void {
    this.#kept ??= Deno.env.toObject();
  }
}
