import { isJsonObject, type JsonObject } from "../types/mod.ts";

/** A call's arguments as an object, or why they are none. */
export type ToolArguments = { input: JsonObject } | { raw: string; error: string };

/**
 * Reads a call's arguments. Nothing at all (empty, blank, `null`) means `{}`; anything else that is not one JSON
 * object is an error and never `{}`.
 */
export function readToolArguments(raw: string): ToolArguments {
  const trimmed = raw.trim();
  if (trimmed === "" || trimmed === "null") return { input: {} };
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { raw, error: `the arguments are not valid JSON (${why})` };
  }
  if (isJsonObject(value)) return { input: value };
  return {
    raw,
    error: `the arguments are not a JSON object but ${Array.isArray(value) ? "an array" : typeof value}`,
  };
}

/** Follows JSON text as it arrives and knows when one object is complete. */
export class ObjectEnd {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #complete = false;

  /** True once the object that began has been closed. */
  get complete(): boolean {
    return this.#complete;
  }

  push(text: string): void {
    for (let at = 0; at < text.length && !this.#complete; at++) {
      const char = text[at];
      if (this.#escaped) this.#escaped = false;
      else if (this.#inString) {
        if (char === "\\") this.#escaped = true;
        else if (char === '"') this.#inString = false;
      } else if (char === '"') this.#inString = true;
      else if (char === "{" || char === "[") this.#depth++;
      else if (char === "}" || char === "]") this.#complete = --this.#depth <= 0;
    }
  }
}
