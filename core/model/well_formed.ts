import { isJsonObject, type Json, type JsonObject } from "../types/mod.ts";

/** The same JSON with every lone surrogate replaced by U+FFFD, keys included: providers refuse what is not Unicode. */
export function wellFormed<T extends Json>(value: T): T;
export function wellFormed(value: Json): Json {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map((item) => wellFormed(item));
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    // a key may be `__proto__`, which an assignment would take for something else
    Object.defineProperty(result, key.toWellFormed(), {
      value: wellFormed(item),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return result;
}
