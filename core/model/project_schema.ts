import { isJsonObject } from "../types/mod.ts";
import type { Json, JsonObject } from "../types/mod.ts";

/** References inside references are followed so far. */
const DEEPEST = 12;
/** Parts of one projected schema; what would go beyond is an object without a shape. */
const MOST = 2_000;
const COMBINED = ["anyOf", "oneOf", "allOf"] as const;
/** Where a schema keeps others, and words that say nothing without references. */
const DROPPED = new Set(["$defs", "definitions", "$schema", "$id", "$anchor", "$comment", "$dynamicAnchor"]);
/** Values, not schemas. */
const DATA = new Set(["const", "enum", "default", "examples", "required", "type"]);

/**
 * A tool's schema in the words that every provider takes: references are put in their places, one that leads back to where it
 * stands becomes an object with a note, and alternatives of the whole input become one object whose properties are those of
 * all. Alternatives further in (`anyOf`, types in a list, `null` among them) stay as they are. Only what the model is shown:
 * inputs are checked against the schema itself. A schema that needs nothing of this is given back as it is.
 */
export function projectSchema(schema: JsonObject): JsonObject {
  if (!needed(schema)) return schema;
  const projection = new Projection(schema);
  const { result } = projection;
  return isJsonObject(result) ? flatRoot(result) : { type: "object" };
}

function needed(schema: JsonObject): boolean {
  return COMBINED.some((word) => schema[word] !== undefined) || hasReference(schema);
}

function hasReference(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasReference);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, part]) =>
    key === "$ref" || key === "$dynamicRef" || DROPPED.has(key) || hasReference(part)
  );
}

class Projection {
  readonly result: Json;
  readonly #root: JsonObject;
  #parts = 0;

  constructor(root: JsonObject) {
    this.#root = root;
    this.result = this.#schema(root, [root]);
  }

  #schema(value: Json, within: readonly JsonObject[]): Json {
    if (Array.isArray(value)) return value.map((part) => this.#schema(part, within));
    if (!isJsonObject(value)) return value;
    if (++this.#parts > MOST) return shapeless({}, "too large to be shown");
    const ref = value["$ref"] ?? value["$dynamicRef"];
    if (typeof ref === "string") return this.#reference(ref, value, within);
    const kept: JsonObject = {};
    for (const [key, part] of Object.entries(value)) {
      if (DROPPED.has(key)) continue;
      if (DATA.has(key)) kept[key] = part;
      else if (key === "properties" || key === "patternProperties") kept[key] = this.#each(part, within);
      else kept[key] = this.#schema(part, within);
    }
    return kept;
  }

  /** The schemas of a map of names. */
  #each(map: Json, within: readonly JsonObject[]): Json {
    if (!isJsonObject(map)) return map;
    return Object.fromEntries(Object.entries(map).map(([name, part]) => [name, this.#schema(part, within)]));
  }

  #reference(ref: string, value: JsonObject, within: readonly JsonObject[]): Json {
    const { $ref: _ref, $dynamicRef: _dynamic, ...beside } = value;
    const target = this.#find(ref);
    if (!isJsonObject(target)) return shapeless(beside, target === true ? "" : `of the schema ${ref}`);
    if (within.includes(target)) return shapeless({ ...words(target), ...beside }, `again ${ref}`);
    if (within.length >= DEEPEST) return shapeless({ ...words(target), ...beside }, `of the schema ${ref}`);
    const inner = this.#schema(target, [...within, target]);
    const own = this.#schema(beside, within);
    return { ...(isJsonObject(inner) ? inner : {}), ...(isJsonObject(own) ? own : {}) };
  }

  #find(ref: string): Json | undefined {
    if (ref === "#") return this.#root;
    if (ref.startsWith("#/")) {
      let place: Json | undefined = this.#root;
      for (const step of decoded(ref).slice(2).split("/")) {
        const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
        if (Array.isArray(place)) place = place[Number(key)];
        else place = place !== undefined && isJsonObject(place) ? place[key] : undefined;
      }
      return place;
    }
    return ref.startsWith("#") ? anchored(this.#root, ref.slice(1)) : undefined;
  }
}

function decoded(ref: string): string {
  try {
    return decodeURIComponent(ref);
  } catch {
    return ref; // a lone % is what it is
  }
}

function anchored(value: Json, name: string): JsonObject | undefined {
  if (Array.isArray(value)) return value.map((part) => anchored(part, name)).find((one) => one !== undefined);
  if (!isJsonObject(value)) return undefined;
  if (value["$anchor"] === name || value["$dynamicAnchor"] === name) return value;
  return Object.values(value).map((part) => anchored(part, name)).find((one) => one !== undefined);
}

/** What a schema says of itself in words. */
function words({ title, description }: JsonObject): JsonObject {
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
}

function shapeless(beside: JsonObject, note: string): JsonObject {
  const said = [beside["description"], note === "" ? "" : `(${note})`].filter((text) =>
    typeof text === "string" && text !== ""
  ).join(" ");
  return { ...beside, type: "object", ...(said === "" ? {} : { description: said }) };
}

/** No provider takes alternatives of the whole input: one object has the properties of all, and asks for what all ask for. */
function flatRoot(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, allOf, ...root } = schema;
  let { properties, required, notes } = partsOf(root);
  for (const [all, options] of [[true, allOf], [false, anyOf], [false, oneOf]] as const) {
    if (!Array.isArray(options)) continue;
    const parts = options.filter((part) => isJsonObject(part)).map((part) => partsOf(flatRoot(part)));
    if (parts.length === 0) continue;
    for (const part of parts) properties = { ...part.properties, ...properties };
    const shared = all
      ? parts.flatMap((part) => part.required)
      : (parts[0]?.required ?? []).filter((name) => parts.every((part) => part.required.includes(name)));
    required = [...new Set([...required, ...shared])];
    const sets = parts.map((part) => part.required.filter((name) => !shared.includes(name)));
    if (!all && sets.some((set) => set.length > 0)) {
      notes = [...notes, `Give one of: ${sets.map((set) => `{${set.join(", ")}}`).join(" or ")}.`];
    }
  }
  const { type: _type, properties: _properties, required: _required, description: _words, ...rest } = root;
  const description = notes.join(" ");
  return {
    type: "object",
    ...(description === "" ? {} : { description }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
    ...rest,
  };
}

function partsOf(schema: JsonObject): { properties: JsonObject; required: string[]; notes: string[] } {
  const { properties, required, description } = schema;
  return {
    properties: properties !== undefined && isJsonObject(properties) ? properties : {},
    required: Array.isArray(required) ? required.filter((name) => typeof name === "string") : [],
    notes: typeof description === "string" && description !== "" ? [description] : [],
  };
}
