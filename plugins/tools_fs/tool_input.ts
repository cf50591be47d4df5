import type { JsonObject } from "../../core/plugin_api/mod.ts";
import { ToolFailure } from "./tool_failure.ts";

/** Typed access to the input of a call. Each method throws `ToolFailure` naming the key and what was given. */
export class ToolInput {
  readonly #input: JsonObject;
  readonly #where: string;

  constructor(input: JsonObject, where = "") {
    this.#input = input;
    this.#where = where;
  }

  /** True when the call gives a value. */
  has(key: string): boolean {
    return this.#input[key] !== undefined && this.#input[key] !== null;
  }

  /** A text without half surrogate pairs, which no encoding can hold. */
  string(key: string, fallback?: string): string {
    const value = this.#input[key] ?? fallback;
    if (typeof value !== "string") throw this.#wrong(key, "a text");
    return value.toWellFormed();
  }

  integer(key: string, fallback: number, least: number, most: number): number {
    const value = this.#input[key] ?? fallback;
    if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) {
      throw this.#wrong(key, `a whole number from ${least} to ${most}`);
    }
    return value;
  }

  boolean(key: string): boolean {
    const value = this.#input[key] ?? false;
    if (typeof value !== "boolean") throw this.#wrong(key, "true or false");
    return value;
  }

  /** A list of objects with at least one element. */
  list(key: string): ToolInput[] {
    const value = this.#input[key];
    if (!Array.isArray(value) || value.length === 0) {
      throw this.#wrong(key, "a list with at least one element");
    }
    return value.map((item, index) => {
      if (typeof item !== "object" || item === null || Array.isArray(item)) {
        throw this.#wrong(`${key}[${index}]`, "an object");
      }
      return new ToolInput(item, `${key}[${index}].`);
    });
  }

  #wrong(key: string, wanted: string): ToolFailure {
    const value = this.#input[key];
    const given = value === undefined ? "it is missing" : `it is ${JSON.stringify(value).slice(0, 60)}`;
    return new ToolFailure(`The input "${this.#where}${key}" must be ${wanted}: ${given}`);
  }
}
