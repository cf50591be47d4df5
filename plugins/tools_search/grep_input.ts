import type { JsonObject } from "../../core/plugin_api/mod.ts";
import { SearchError } from "./search_error.ts";

export type GrepMode = "files_with_matches" | "content" | "count";

export interface GrepInput {
  pattern: string;
  path: string;
  glob: string | undefined;
  type: string | undefined;
  mode: GrepMode;
  case_insensitive: boolean;
  before: number;
  after: number;
  /** Lines or files shown; Infinity for all. */
  head_limit: number;
  offset: number;
  multiline: boolean;
  follow: boolean;
}

const MAX_CONTEXT = 50;

/** Reads Grep's input, ripgrep's short flags included (`-i -A -B -C`). Throws a `SearchError` naming a wrong value. */
export function parseGrepInput(input: JsonObject): GrepInput {
  const mode = input.output_mode ?? "files_with_matches";
  if (mode !== "files_with_matches" && mode !== "content" && mode !== "count") {
    throw new SearchError(
      `Unknown output_mode ${JSON.stringify(mode)}: use files_with_matches, content or count`,
    );
  }
  const context = count(input, ["context", "-C"], 0, MAX_CONTEXT);
  const limit = count(input, ["head_limit"], 250, Number.MAX_SAFE_INTEGER);
  return {
    pattern: text(input, "pattern") ?? "",
    path: text(input, "path") ?? ".",
    glob: text(input, "glob"),
    type: text(input, "type"),
    mode,
    case_insensitive: flag(input, ["case_insensitive", "-i"]),
    before: count(input, ["before", "-B"], context, MAX_CONTEXT),
    after: count(input, ["after", "-A"], context, MAX_CONTEXT),
    head_limit: limit === 0 ? Infinity : limit,
    offset: count(input, ["offset"], 0, Number.MAX_SAFE_INTEGER),
    multiline: flag(input, ["multiline"]),
    follow: flag(input, ["follow"]),
  };
}

/** A text of the input; absent, null and empty are the same. */
export function text(input: JsonObject, name: string): string | undefined {
  const value = input[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") {
    throw new SearchError(`${name} must be a string, not ${JSON.stringify(value)}`);
  }
  if (value.includes("\0")) throw new SearchError(`${name} holds a NUL character: remove it`);
  return value;
}

/** True when one of the names is true. */
export function flag(input: JsonObject, names: readonly string[]): boolean {
  return names.some((name) => {
    const value = input[name] ?? false;
    if (typeof value !== "boolean") throw new SearchError(`${name} must be true or false`);
    return value;
  });
}

function count(input: JsonObject, names: readonly string[], fallback: number, most: number): number {
  for (const name of names) {
    const value = input[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
      throw new SearchError(`${name} must be a whole number from 0, not ${JSON.stringify(value)}`);
    }
    return Math.min(value, most);
  }
  return fallback;
}
