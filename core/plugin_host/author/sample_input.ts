import { isJsonObject } from "../../types/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";

/**
 * The smallest input that a tool's schema asks for: its first `examples` entry, else the required keys with the plainest
 * values. It need not fit: a pattern, say, only an example can meet.
 */
export function sampleInput(schema: JsonObject): JsonObject {
  const value = sample(schema, schema, 0);
  return isJsonObject(value) ? value : {};
}

/** The input for a call that is cancelled: the last of several `examples`, else the small one. */
export function longInput({ examples }: JsonObject, small: JsonObject): JsonObject {
  const last = Array.isArray(examples) ? examples.at(-1) : undefined;
  return isJsonObject(last) ? last : small;
}

/** An input that a schema should refuse, and what to change where it does not. */
export interface BadInput {
  input: JsonObject;
  hint: string;
}

/** Inputs near `good` that no tool should have to deal with. */
export function badInputs(schema: JsonObject, good: JsonObject): BadInput[] {
  const bad: BadInput[] = [{
    input: { ...good, "no such key": 1 },
    hint: 'an unknown key passes: add "additionalProperties": false',
  }];
  for (const key of required(schema)) {
    const { [key]: _, ...rest } = good;
    bad.push({ input: rest, hint: `"${key}" may be missing although it is required` });
  }
  const properties = schema["properties"];
  for (const key of isJsonObject(properties) ? Object.keys(properties) : []) {
    const wrong = isJsonObject(good[key]) ? 12 : { "no such": ["value"] };
    bad.push({ input: { ...good, [key]: wrong }, hint: `anything passes as "${key}": give it a type` });
  }
  return bad;
}

function sample(schema: JsonObject, root: JsonObject, depth: number): Json {
  const examples = schema["examples"];
  if (Array.isArray(examples) && examples[0] !== undefined) return examples[0];
  if (schema["const"] !== undefined) return schema["const"];
  const { enum: words, default: usual } = schema;
  if (Array.isArray(words) && words[0] !== undefined) return words[0];
  if (usual !== undefined) return usual;
  const other = referred(schema, root);
  if (other !== undefined && depth < 20) return sample(other, root, depth + 1);
  const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
  switch (type ?? (isJsonObject(schema["properties"]) ? "object" : undefined)) {
    case "integer":
    case "number":
      return sampleNumber(schema);
    case "boolean":
      return false;
    case "null":
      return null;
    case "array": {
      const { items, minItems } = schema;
      const one = isJsonObject(items) ? sample(items, root, depth + 1) : "a";
      return Array<Json>(typeof minItems === "number" ? minItems : 0).fill(one);
    }
    case "object": {
      const properties = schema["properties"];
      const entries = required(schema).map((key): [string, Json] => {
        const property = isJsonObject(properties) ? properties[key] : undefined;
        return [key, isJsonObject(property) ? sample(property, root, depth + 1) : "a"];
      });
      return Object.fromEntries(entries);
    }
    default:
      return sampleText(schema);
  }
}

/** The schema that a reference or the first alternative leads to. */
function referred(schema: JsonObject, root: JsonObject): JsonObject | undefined {
  const ref = schema["$ref"];
  if (typeof ref === "string" && ref.startsWith("#/")) {
    let place: Json | undefined = root;
    for (const part of ref.slice(2).split("/")) place = isJsonObject(place) ? place[part] : undefined;
    return isJsonObject(place) ? place : undefined;
  }
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const options = schema[key];
    const first = Array.isArray(options) ? options[0] : undefined;
    if (isJsonObject(first) && schema["type"] === undefined) return first;
  }
  return undefined;
}

function sampleNumber({ minimum, exclusiveMinimum, maximum, multipleOf }: JsonObject): number {
  const step = typeof multipleOf === "number" ? multipleOf : 1;
  if (typeof minimum === "number") return Math.ceil(minimum / step) * step;
  if (typeof exclusiveMinimum === "number") return (Math.floor(exclusiveMinimum / step) + 1) * step;
  return typeof maximum === "number" && maximum < step ? Math.floor(maximum / step) * step : step;
}

function sampleText({ minLength, format }: JsonObject): string {
  if (format === "uri" || format === "url") return "https://example.invalid/";
  if (format === "date") return "2026-01-01";
  if (format === "date-time") return "2026-01-01T00:00:00Z";
  return "a".repeat(typeof minLength === "number" && minLength > 1 ? minLength : 1);
}

function required(schema: JsonObject): string[] {
  const keys = schema["required"];
  return Array.isArray(keys) ? keys.filter((key) => typeof key === "string") : [];
}
