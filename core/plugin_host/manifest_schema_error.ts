import type * as z from "zod";
import { nearest } from "../base/mod.ts";
import { isJsonObject } from "../types/mod.ts";
import type { Json, JsonObject } from "../types/mod.ts";
import { manifestJsonSchema } from "./manifest_schema.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** The first thing that is wrong with a manifest, as "field must be …", and how many more there are. */
export function manifestFault(issues: readonly Issue[], json: Json): string {
  // a mistyped key is also a missing one: the key tells more
  const first = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  if (first === undefined) return "cannot be read";
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return `${issueText(first, first.path, json)}${more}`;
}

function issueText(issue: Issue, path: Path, json: Json): string {
  const value = valueAt(json, path);
  const field = fieldText(path);
  switch (issue.code) {
    case "invalid_value":
      return oneOf(field, issue.values.map(String), value);
    case "unrecognized_keys": {
      const key = issue.keys[0] ?? "";
      const known = knownKeys(path, json);
      return `${fieldText([...path, key])} is unknown${meant(key, known)}: ${
        path.length === 0 ? "a manifest" : field
      } may have ${known.join(", ")}`;
    }
    case "invalid_key":
    case "invalid_element": {
      const [inner] = issue.issues;
      return inner === undefined ? `${field} is not valid` : issueText(inner, path, json);
    }
    case "invalid_union": {
      if (issue.errors.length === 0) return oneOf(field, knownValues(path, json), value);
      // the option that the value was most likely meant for: the one that does not fail at its root
      const branch = issue.errors.find((option) => option.some(({ path }) => path.length > 0)) ??
        issue.errors.find((option) => option[0]?.code !== "invalid_type") ?? issue.errors[0];
      const inner = branch?.[0];
      return inner === undefined ? `${field} is not valid` : issueText(inner, [...path, ...inner.path], json);
    }
    case "invalid_type":
      return value === undefined
        ? `${field} is missing: it must be ${typeWord(issue.expected)}`
        : `${field} must be ${typeWord(issue.expected)}, and it is ${shown(value)}`;
    case "too_small":
      return `${field} ${
        value === "" || isEmpty(value)
          ? "must not be empty"
          : `must be ${issue.inclusive === false ? "above" : "at least"} ${issue.minimum}`
      }`;
    case "too_big":
      return `${field} must be at most ${issue.maximum}${
        typeof value === "string" ? " characters" : Array.isArray(value) ? " entries" : ""
      }`;
    default: {
      // our own messages begin with a verb; the library's do not
      const message = /^(must|is|has)\b/.test(issue.message) ? issue.message : "is not valid";
      const told = message.startsWith("must") && value !== undefined && !isJsonObject(value) &&
        !Array.isArray(value);
      return `${field} ${message}${told ? `, and it is ${shown(value)}` : ""}`;
    }
  }
}

function oneOf(field: string, values: readonly string[], value: Json | undefined): string {
  const allowed = values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(", ")}`;
  if (value === undefined) return `${field} is missing: it ${allowed}`;
  return `${field} ${allowed}, and it is ${shown(value)}${
    typeof value === "string" ? meant(value, values) : ""
  }`;
}

function meant(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined || near === word ? "" : `; did you mean "${near}"?`;
}

function isEmpty(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length === 0;
}

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function typeWord(expected: string): string {
  const words: Record<string, string> = {
    string: "a text",
    number: "a number",
    int: "a whole number",
    boolean: "true or false",
    array: "a list",
    object: "an object",
    record: "an object",
  };
  return words[expected] ?? `of type ${expected}`;
}

/** `contributes.tools[0].effect`. */
function fieldText(path: Path): string {
  if (path.length === 0) return "the manifest";
  return path.map((part, index) =>
    typeof part === "number" ? `[${part}]` : index === 0 ? String(part) : `.${String(part)}`
  ).join("");
}

function valueAt(json: Json, path: Path): Json | undefined {
  let value: Json | undefined = json;
  for (const part of path) {
    if (Array.isArray(value)) value = value[Number(part)];
    else if (isJsonObject(value)) value = value[String(part)];
    else return undefined;
  }
  return value;
}

/** The schemas that may hold at a path, by the JSON Schema; only asked when something is wrong. */
function schemasAt(path: Path, json: Json): JsonObject[] {
  let schemas: JsonObject[] = [manifestJsonSchema()];
  path.forEach((part, index) => {
    const holder = valueAt(json, path.slice(0, index));
    schemas = schemas.flatMap((schema) => branches(schema, holder)).flatMap((schema) => {
      const properties = schema["properties"];
      const next = typeof part === "number"
        ? schema["items"]
        : isJsonObject(properties) && properties[String(part)] !== undefined
        ? properties[String(part)]
        : schema["additionalProperties"];
      return isJsonObject(next) ? [next] : [];
    });
  });
  return schemas.flatMap((schema) => branches(schema, valueAt(json, path)));
}

/** The options of a schema that a value was meant for: those whose constants it has. */
function branches(schema: JsonObject, value: Json | undefined): JsonObject[] {
  const options = schema["anyOf"] ?? schema["oneOf"];
  if (!Array.isArray(options)) return [schema];
  const all = options.filter((option) => isJsonObject(option)).flatMap((option) => branches(option, value));
  const fitting = all.filter((option) => {
    const properties = option["properties"];
    if (!isJsonObject(properties) || !isJsonObject(value)) return false;
    return Object.entries(properties).some(([key, property]) =>
      isJsonObject(property) && allowedBy(property).includes(String(value[key]))
    );
  });
  return fitting.length > 0 ? fitting : all;
}

function allowedBy(schema: JsonObject): string[] {
  if (schema["const"] !== undefined) return [String(schema["const"])];
  return Array.isArray(schema["enum"]) ? schema["enum"].map(String) : [];
}

function knownKeys(path: Path, json: Json): string[] {
  const keys = schemasAt(path, json).flatMap((schema) => {
    const names = schema["propertyNames"];
    const own = isJsonObject(schema["properties"]) ? Object.keys(schema["properties"]) : [];
    return isJsonObject(names) ? [...own, ...allowedBy(names)] : own;
  });
  return [...new Set(keys)].filter((key) => key !== "$schema");
}

function knownValues(path: Path, json: Json): string[] {
  const last = String(path.at(-1));
  return [
    ...new Set(
      schemasAt(path.slice(0, -1), json).flatMap((schema) => {
        const properties = schema["properties"];
        const property = isJsonObject(properties) ? properties[last] : undefined;
        return isJsonObject(property) ? allowedBy(property) : [];
      }),
    ),
  ];
}
