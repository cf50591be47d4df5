import type * as z from "zod";
import { nearest } from "../base/mod.ts";
import type { Json } from "../types/mod.ts";
import { settingKey, type SettingName } from "./setting_keys.ts";

/** What is wrong with a value: the words after the key's name, and where inside the value. */
export interface ValueFault {
  readonly fault: string;
  readonly path: readonly (string | number)[];
}

export type CheckedValue = { value: unknown } | ValueFault;

/** Checks a value against its key's schema. The fault never repeats a secret. */
export function checkValue(name: SettingName, value: unknown): CheckedValue {
  const definition = settingKey(name);
  const result = definition.schema().safeParse(value);
  if (result.success) return { value: result.data };
  const issue = result.error.issues[0];
  const path = (issue?.path ?? []).map((part) => typeof part === "symbol" ? String(part) : part);
  const inside = valueAt(value, path);
  if (issue?.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const near = nearest(key, Object.keys(Object(definition.default)));
    const hint = near === undefined ? "" : `; did you mean ${JSON.stringify(near)}?`;
    return { fault: `has no key ${JSON.stringify(key)}, must be ${definition.must}${hint}`, path };
  }
  const must = name === "permissions" && issue !== undefined ? issue.message : `must be ${definition.must}`;
  // where a list is all there is, nobody counts: its item says which one is meant
  const item = path.length === 1 && typeof path[0] === "number";
  const shown = definition.secret ? "" : `${item ? "has" : "is"} ${preview(inside)}, `;
  const at = item || path.length === 0 ? "" : `at ${placeText(path)} `;
  return { fault: `${at}${shown}${must}${suggestion(issue, inside)}`, path };
}

/** A place inside a value as people write it: `allow[0].path`. */
function placeText(path: readonly (string | number)[]): string {
  return path.map((part, index) => typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`)
    .join("");
}

/**
 * Reads the text of a variable or flag for a key: numbers as JavaScript writes them (`1e6` is a million), booleans as
 * 1/true/yes/on and 0/false/no/off, lists with commas, objects as JSON. Then checks it.
 */
export function checkText(name: SettingName, text: string): CheckedValue {
  const definition = settingKey(name);
  const trimmed = text.trim();
  switch (definition.kind) {
    case "number":
      return checkValue(name, NUMBER.test(trimmed) ? Number(trimmed) : text);
    case "boolean":
      return checkValue(name, readBoolean(trimmed) ?? text);
    case "list":
      return checkValue(name, trimmed === "" ? [] : trimmed.split(",").map((item) => item.trim()));
    case "object":
      return checkValue(name, readJson(trimmed) ?? text);
    case "permissions":
      return checkValue(name, { defaultMode: trimmed });
    default:
      return checkValue(name, text);
  }
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** The booleans of variables and flags; undefined for other text. */
export function readBoolean(text: string): boolean | undefined {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  return /^(0|false|no|off)$/i.test(text) ? false : undefined;
}

/** JSON in a variable or flag; undefined for other text. */
function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // told as a wrong value
  }
}

function suggestion(issue: z.core.$ZodIssue | undefined, value: unknown): string {
  if (issue?.code !== "invalid_value" || typeof value !== "string") return "";
  const near = nearest(value, issue.values.map(String));
  return near === undefined ? "" : `; did you mean "${near}"?`;
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = (current as Record<string | number, unknown>)[part];
  }
  return current;
}

function preview(value: unknown): string {
  const text = JSON.stringify(value as Json) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
