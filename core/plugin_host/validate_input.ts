import { Validator } from "@cfworker/json-schema";
import type { OutputUnit } from "@cfworker/json-schema";
import { errorMessage } from "../base/mod.ts";
import { isJsonObject } from "../types/mod.ts";
import type { JsonObject } from "../types/mod.ts";

/**
 * Checks tool inputs against JSON Schema 2020-12. Interpreted, so that the first call of a session does not wait for a
 * schema to be compiled.
 */
export class InputValidator {
  #validators = new WeakMap<JsonObject, Validator>();

  /**
   * Returns what is wrong, one line per problem; empty when it fits. Numbers and booleans that came as text, as models
   * often quote them, are converted in place; nothing else is. A schema that cannot be used is the one problem.
   */
  check(schema: JsonObject, input: JsonObject): string[] {
    try {
      return this.#problems(schema, input);
    } catch (error) {
      // a pattern that is none, a reference to nowhere: found when they are first used
      return [`the schema cannot be used: ${errorMessage(error).replace(/\s+/g, " ")}`];
    }
  }

  #problems(schema: JsonObject, input: JsonObject): string[] {
    let validator = this.#validators.get(schema);
    if (validator === undefined) {
      validator = new Validator(schema, "2020-12", false);
      this.#validators.set(schema, validator);
    }
    if (validator.validate(input).valid) return [];
    unquote(schema, input);
    const { valid, errors } = validator.validate(input);
    return valid ? [] : problems(errors);
  }
}

/** Turns texts into the numbers and booleans that the schema's own properties ask for, where they read as such. */
function unquote(schema: JsonObject, input: JsonObject): void {
  const properties = schema["properties"];
  if (!isJsonObject(properties)) return;
  for (const [key, property] of Object.entries(properties)) {
    const value = input[key];
    if (typeof value !== "string" || !isJsonObject(property)) continue;
    const type = property["type"];
    const numeric = type === "number" || type === "integer";
    if (numeric && /^-?\d+(\.\d+)?$/.test(value.trim())) input[key] = Number(value);
    else if (type === "boolean" && /^(true|false)$/.test(value.trim())) input[key] = value.trim() === "true";
  }
}

/** The innermost problems: a problem of a part is also reported for the whole that holds it. */
function problems(errors: readonly OutputUnit[]): string[] {
  const own = errors.filter((error) => !CONTAINERS.has(error.keyword) && error.keyword !== "false");
  // a key with a wrong value is also called unknown, since no property has accepted it
  const unknown = errors.filter((error) =>
    error.keyword === "false" &&
    !own.some((other) => other.instanceLocation.startsWith(error.instanceLocation))
  );
  const inner = [...own, ...unknown];
  const lines = (inner.length === 0 ? errors : inner).map(({ instanceLocation, keyword, error }) => {
    const where = instanceLocation.replace(/^#\/?/, "").replaceAll("/", ".");
    // "false" is what additionalProperties: false says of the key that is too much
    if (keyword === "false") return `unknown key "${where}"`;
    return `${where === "" ? "" : `${where}: `}${error.replace(/\.$/, "")}`;
  });
  return [...new Set(lines)];
}

const CONTAINERS = new Set(["properties", "items", "prefixItems", "additionalProperties", "allOf", "$ref"]);
