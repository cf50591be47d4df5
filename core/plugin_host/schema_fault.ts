import { dereference, Validator } from "@cfworker/json-schema";
import { errorMessage } from "../base/mod.ts";
import { isJsonObject } from "../types/mod.ts";
import type { Json, JsonObject } from "../types/mod.ts";

/** Keywords by what their value is; in any other keyword there is nothing that could not be used. */
const SCHEMA = [
  "additionalItems",
  "unevaluatedItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "not",
  "if",
  "then",
  "else",
  "items",
];
const SCHEMA_LIST = ["prefixItems", "allOf", "anyOf", "oneOf"];
const SCHEMA_MAP = ["$defs", "definitions", "properties", "patternProperties", "dependentSchemas"];
const NUMBER = ["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"];
const COUNT = [
  "maxLength",
  "minLength",
  "maxItems",
  "minItems",
  "maxContains",
  "minContains",
  "maxProperties",
  "minProperties",
];
const TYPES = ["null", "boolean", "object", "array", "number", "integer", "string"];
/** Schemas in one schema: more is no input that a model could fill in. */
const MOST = 5_000;

/**
 * What of a JSON Schema 2020-12 `InputValidator` cannot use, with its place such as `properties.date.pattern`; undefined when
 * all of it can be. So a tool's input is never refused for its schema's sake.
 */
export function schemaFault(schema: JsonObject): string | undefined {
  const walk = new Walk();
  walk.schema(schema, []);
  return walk.fault ?? referenceFault(schema) ?? trialFault(schema);
}

class Walk {
  fault: string | undefined;
  #seen = 0;

  schema(value: Json | undefined, path: readonly string[]): void {
    if (this.fault !== undefined || typeof value === "boolean") return;
    if (++this.#seen > MOST) return this.#wrong([], `has more than ${MOST} schemas in it`);
    if (!isJsonObject(value)) return this.#wrong(path, "must be a schema: an object, true or false");
    for (const [key, part] of Object.entries(value)) this.#keyword(key, part, [...path, key]);
  }

  #keyword(key: string, value: Json, path: readonly string[]): void {
    if (SCHEMA.includes(key)) return this.schema(value, path);
    if (SCHEMA_LIST.includes(key)) {
      if (!Array.isArray(value) || value.length === 0) return this.#wrong(path, "must be a list of schemas");
      return value.forEach((part, index) => this.schema(part, [...path, String(index)]));
    }
    if (SCHEMA_MAP.includes(key)) {
      if (!isJsonObject(value)) return this.#wrong(path, "must be an object of schemas");
      for (const [name, part] of Object.entries(value)) {
        if (key === "patternProperties") this.#pattern(name, [...path, name]);
        this.schema(part, [...path, name]);
      }
      return;
    }
    if (key === "pattern") return this.#pattern(value, path);
    if (key === "type") return this.#type(value, path);
    if (key === "required" && !isTexts(value)) return this.#wrong(path, "must be a list of names");
    if (key === "enum" && !Array.isArray(value)) return this.#wrong(path, "must be a list of values");
    if (NUMBER.includes(key) && typeof value !== "number") return this.#wrong(path, "must be a number");
    if (key === "multipleOf" && !(typeof value === "number" && value > 0)) {
      return this.#wrong(path, "must be a number above 0");
    }
    if (COUNT.includes(key) && !(typeof value === "number" && Number.isInteger(value) && value >= 0)) {
      return this.#wrong(path, "must be a whole number, 0 or more");
    }
  }

  #pattern(value: Json, path: readonly string[]): void {
    if (typeof value !== "string") return this.#wrong(path, "must be a regular expression as a text");
    try {
      new RegExp(value, "u");
    } catch (error) {
      this.#wrong(path, `is no regular expression: ${errorMessage(error)}`);
    }
  }

  #type(value: Json, path: readonly string[]): void {
    const names = Array.isArray(value) ? value : [value];
    const wrong = names.find((name) => typeof name !== "string" || !TYPES.includes(name));
    if (wrong !== undefined || names.length === 0) {
      this.#wrong(path, `must be of ${TYPES.join(", ")}, and is ${JSON.stringify(value)}`);
    }
  }

  #wrong(path: readonly string[], what: string): void {
    this.fault ??= path.length === 0 ? what : `${path.join(".")} ${what}`;
  }
}

/** A reference that leads nowhere. */
function referenceFault(schema: JsonObject): string | undefined {
  let lookup: Record<string, unknown>;
  try {
    lookup = dereference(structuredClone(schema) as Parameters<typeof dereference>[0]);
  } catch (error) {
    return `cannot be read: ${errorMessage(error)}`;
  }
  for (const part of Object.values(lookup)) {
    if (typeof part !== "object" || part === null || !("__absolute_ref__" in part)) continue;
    if (lookup[String(part.__absolute_ref__)] === undefined) {
      const ref = JSON.stringify((part as { $ref?: unknown }).$ref);
      return `has a $ref to ${ref}, and there is no such schema in it`;
    }
  }
  return undefined;
}

/** What only shows when it is used: a reference to itself that never ends. */
function trialFault(schema: JsonObject): string | undefined {
  try {
    new Validator(structuredClone(schema), "2020-12", false).validate({});
  } catch (error) {
    return `cannot be used: ${errorMessage(error).replace(/\s+/g, " ").slice(0, 200)}`;
  }
  return undefined;
}

function isTexts(value: Json): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
