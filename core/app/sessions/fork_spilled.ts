import { join, sep } from "node:path";
import { makePrivateDirectory } from "../../app_root/mod.ts";
import type { Json } from "../../types/mod.ts";

/**
 * Output that was too long for a result lies in a file of its session, which goes with it and which only it may read. A
 * fork gets copies of those that its results name, and its results name the copies.
 */
export class SpilledCopies {
  readonly #from: string;
  readonly #to: string;
  /** What names a file, as it stands in JSON. */
  readonly #named: RegExp;
  readonly #done = new Set<string>();

  /** The folders of parent and fork; that of the fork is made with the first copy. */
  constructor(from: string, to: string) {
    this.#from = from;
    this.#to = to;
    this.#named = new RegExp(`${RegExp.escape(inJson(from + sep))}([\\w-][\\w.-]*)`, "g");
  }

  /** The payload with the fork's own paths. A file that has gone is named as it was. */
  take(payload: Json): Json {
    const text = JSON.stringify(payload);
    const moved = text.replace(
      this.#named,
      (path, name: string) => this.#copied(name) ? inJson(join(this.#to, name)) : path,
    );
    return moved === text ? payload : JSON.parse(moved);
  }

  #copied(name: string): boolean {
    if (this.#done.has(name)) return true;
    try {
      if (!Deno.lstatSync(join(this.#from, name)).isFile) return false;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw error;
    }
    makePrivateDirectory(this.#to);
    Deno.copyFileSync(join(this.#from, name), join(this.#to, name));
    this.#done.add(name);
    return true;
  }
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
