import { isJsonObject } from "../types/mod.ts";
import type { JsonObject } from "../types/mod.ts";

/**
 * A tool's input schema with a root that is an object, which every provider asks for: one that is missing, is no schema or is
 * of something else takes no input; one that does not say its type is of an object.
 */
export function objectSchema(given: unknown): JsonObject {
  if (!isJsonObject(given as JsonObject)) return { type: "object" };
  const schema = given as JsonObject;
  const { type } = schema;
  if (type === "object") return schema;
  const fits = type === undefined || (Array.isArray(type) && type.includes("object"));
  return fits ? { ...schema, type: "object" } : { type: "object" };
}
