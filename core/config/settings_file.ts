import type { ParseError } from "jsonc-parser";
import { errorMessage, EXIT, LuminaError } from "../base/mod.ts";
import { isJsonObject, type Json, type JsonObject } from "../types/mod.ts";

/** Larger files are no settings. */
const MOST_BYTES = 1_048_576;

/** A settings file as it was read. */
export interface SettingsFile {
  readonly path: string;
  /** Without the byte order mark. */
  readonly text: string;
  readonly value: JsonObject;
}

/** What tells two versions of a file apart without reading it; "absent" for none. */
export async function fileStamp(path: string): Promise<string> {
  try {
    const info = await Deno.stat(path);
    return [info.dev, info.ino, info.size, info.mtime?.getTime(), info.ctime?.getTime()].join(":");
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? "absent" : `unreadable: ${errorMessage(error)}`;
  }
}

/**
 * Reads a settings file: JSON with comments, trailing commas and a byte order mark. An absent file is undefined, an
 * empty one has no keys. Throws `config.invalid` (exit 2) with file, line and column for anything else.
 */
export async function readSettingsFile(path: string): Promise<SettingsFile | undefined> {
  let bytes: Uint8Array;
  try {
    const info = await Deno.stat(path);
    if (!info.isFile) throw new Deno.errors.InvalidData("it is not a file");
    if (info.size > MOST_BYTES) throw new Deno.errors.InvalidData(`it has more than ${MOST_BYTES} bytes`);
    bytes = await Deno.readFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return undefined;
    throw invalidSettings(
      `Cannot read the settings file ${path}: ${errorMessage(error)}`,
      { file: path },
      error,
    );
  }
  const text = decodeSettings(bytes, path);
  return { path, text, value: await parseSettings(text, path) };
}

/** UTF-8 text without byte order mark; throws `config.invalid` for other bytes. */
export function decodeSettings(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw invalidSettings(`${path} is not UTF-8 text: save it as UTF-8`, { file: path }, error);
  }
}

/** Reads JSON with comments and trailing commas; throws `config.invalid` with the place of the first fault. */
export async function parseSettings(text: string, path: string): Promise<JsonObject> {
  if (text.trim() === "") return {};
  let value: Json | undefined;
  try {
    value = JSON.parse(text);
  } catch {
    // comments or a fault: the tolerant parser, loaded only here, tells which
    const jsonc = await import("jsonc-parser");
    const errors: ParseError[] = [];
    value = jsonc.parse(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
    const first = errors[0];
    if (first !== undefined) {
      const { line, column } = position(text, first.offset);
      const fault = words(jsonc.printParseErrorCode(first.error));
      throw invalidSettings(`${path}:${line}:${column}: the JSON cannot be read: ${fault}`, {
        file: path,
        line,
      });
    }
    if (value === undefined) return {}; // comments alone
  }
  if (isJsonObject(value)) return value;
  throw invalidSettings(`${path}:1: settings must be one JSON object { … }`, { file: path, line: 1 });
}

/** The line (from 1) of the value at `path` in a settings file, or of the nearest part of the path that is there. */
export async function settingLine(file: SettingsFile, path: readonly (string | number)[]): Promise<number> {
  const jsonc = await import("jsonc-parser");
  const root = jsonc.parseTree(file.text, [], { allowTrailingComma: true });
  for (let length = path.length; root !== undefined && length > 0; length--) {
    const node = jsonc.findNodeAtLocation(root, path.slice(0, length));
    if (node !== undefined) return position(file.text, node.offset).line;
  }
  return 1;
}

/** An error of the configuration, exit 2. */
export function invalidSettings(message: string, details: JsonObject, cause?: unknown): LuminaError {
  return new LuminaError("config.invalid", message, { exit: EXIT.usage, details, cause });
}

function position(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The line (from 1) of a place in a text. */
export function lineAt(text: string, offset: number): number {
  return position(text, offset).line;
}

/** `CommaExpected` → `comma expected`. */
function words(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
}
