import { LuminaError } from "../base/mod.ts";
import { isJsonObject } from "../types/mod.ts";
import type { Json, JsonObject } from "../types/mod.ts";

/** What stands before the text of a Markdown file, and the text. */
export interface FrontMatter {
  /** Values by key; keys are in snake_case, however the file spells them (`allowed-tools`, `allowedTools`). */
  fields: JsonObject;
  /** The line of each key in the file, from 1. */
  lines: Readonly<Record<string, number>>;
  /** The text behind it, with LF line ends; the whole text where there is none. */
  body: string;
  /** The line of the file on which the body begins, from 1. */
  body_line: number;
}

/** A file's front matter cannot be read: `extension.front_matter`, with the line. The message names file and line. */
export class FrontMatterError extends LuminaError {
  readonly file: string;
  readonly line: number;
  /** What is wrong, without the place. */
  readonly reason: string;

  constructor(file: string, line: number, reason: string) {
    super("extension.front_matter", `${file}:${line}: ${reason}`, { details: { file, line } });
    this.file = file;
    this.line = line;
    this.reason = reason;
  }
}

/** Characters between the two `---`. */
const MOST_CHARS = 16_384;
/** Lines that are looked at one by one for a value that only needs quotes. */
const MOST_QUOTED = 200;
const OPENING = /^---[ \t]*\n/;
const CLOSING = /^(?:---|\.\.\.)[ \t]*$/m;

/**
 * Reads the YAML between `---` lines at the start of a Markdown file. A byte order mark and CRLF line ends do not matter.
 * What is no YAML only because a one-line value holds `: `, a bracket or a `*` counts as the text that it is, as other
 * agents read it. Throws {@link FrontMatterError}; `file` is for its message.
 */
export async function readFrontMatter(text: string, file: string): Promise<FrontMatter> {
  const plain = text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const opening = OPENING.exec(plain)?.[0];
  if (opening === undefined) return { fields: {}, lines: {}, body: plain, body_line: 1 };
  const rest = plain.slice(opening.length);
  const closing = CLOSING.exec(rest);
  if (closing === null) {
    throw new FrontMatterError(file, 1, "the front matter that begins here has no closing ---");
  }
  const yaml = rest.slice(0, closing.index);
  if (yaml.length > MOST_CHARS) {
    throw new FrontMatterError(file, 1, `the front matter is longer than ${MOST_CHARS} characters`);
  }
  const body = rest.slice(closing.index + closing[0].length).replace(/^\n/, "");
  const body_line = plain.slice(0, plain.length - body.length).split("\n").length;
  const entries = simpleEntries(yaml) ?? await yamlEntries(yaml, file);
  const fields: JsonObject = {};
  const lines: Record<string, number> = {};
  for (const { key, value, line } of entries) {
    const name = key.replace(/([a-z])([A-Z])/g, "$1_$2").toLowerCase().replaceAll("-", "_");
    if (Object.hasOwn(fields, name)) {
      throw new FrontMatterError(file, line, `"${key}" stands there twice (first on line ${lines[name]})`);
    }
    Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
    lines[name] = line;
  }
  return { fields, lines, body, body_line };
}

interface Entry {
  key: string;
  value: Json;
  /** In the file, from 1. */
  line: number;
}

/** One plain word or sentence in a line, which needs no YAML library: what most files consist of. */
const SIMPLE_LINE =
  /^([A-Za-z][A-Za-z_-]*): +(?:([A-Za-z](?:[\p{L}\d_ ,.;()[\]{}*"/'$+=<>!?&-]|[:#](?=\w))*)|"([^"\\]*)")$/u;
/** What YAML's core schema takes for something else than text. */
const OTHER_WORD = /^(?:true|false|null)$/i;

/** The entries when each line is a simple one, else undefined. */
function simpleEntries(yaml: string): Entry[] | undefined {
  const entries: Entry[] = [];
  for (const [index, line] of yaml.split("\n").entries()) {
    if (line === "") continue;
    const [, key, plain, quoted] = SIMPLE_LINE.exec(withoutBlanks(line)) ?? [];
    const value = plain ?? quoted;
    if (key === undefined || value === undefined) return undefined;
    if (plain !== undefined && OTHER_WORD.test(value)) {
      if (value !== "true" && value !== "false") return undefined;
      entries.push({ key, value: value === "true", line: index + 2 });
    } else entries.push({ key, value, line: index + 2 });
  }
  const names = new Set(entries.map(({ key }) => key));
  return names.size === entries.length ? entries : undefined;
}

async function yamlEntries(yaml: string, file: string): Promise<Entry[]> {
  const { isMap, isScalar, LineCounter, parseDocument } = await import("./yaml_library.ts");
  const parse = (text: string) => {
    const counter = new LineCounter();
    const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: "silent" });
    return { document, lineAt: (offset: number) => counter.linePos(offset).line + 1 };
  };
  let { document, lineAt } = parse(yaml);
  const [wrong] = document.errors;
  if (wrong !== undefined) {
    const quoted = parse(quotedValues(yaml, (line) => parse(line).document.errors.length === 0));
    if (quoted.document.errors.length > 0) {
      throw new FrontMatterError(file, lineAt(wrong.pos[0]), `not valid YAML: ${firstLine(wrong.message)}`);
    }
    ({ document, lineAt } = quoted);
  }
  const { contents } = document;
  if (contents === null) return [];
  if (!isMap(contents)) throw new FrontMatterError(file, 2, "the front matter must be lines of `key: value`");
  let values: unknown;
  try {
    // without what JSON has no word for; aliases that multiply are refused by the library
    values = JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 100 })));
  } catch (error) {
    throw new FrontMatterError(file, 2, `not valid YAML: ${firstLine(String(error))}`);
  }
  if (!isJsonObject(values as Json)) {
    throw new FrontMatterError(file, 2, "the front matter must be lines of `key: value`");
  }
  const found = values as JsonObject;
  return contents.items.flatMap(({ key }) => {
    const name = isScalar(key) ? String(key.value) : String(key);
    const value = found[name];
    const offset = isScalar(key) ? key.range?.[0] ?? 0 : 0;
    return value === undefined ? [] : [{ key: name, value, line: lineAt(offset) }];
  });
}

/** The YAML with each one-line value of a top-level key quoted that is wrong on its own. */
function quotedValues(yaml: string, valid: (line: string) => boolean): string {
  const lines = yaml.split("\n");
  if (lines.length > MOST_QUOTED) return yaml;
  return lines.map((line) => {
    const [, head, value] = /^([A-Za-z][\w-]*:[ \t]+)(.*)$/.exec(withoutBlanks(line)) ?? [];
    if (head === undefined || value === undefined || value === "" || /^["'|>]/.test(value)) return line;
    return valid(line) ? line : head + JSON.stringify(value);
  }).join("\n");
}

/** A line without the blanks at its end; a pattern for them would look at each blank of a long line once for every other. */
function withoutBlanks(line: string): string {
  let end = line.length;
  while (line[end - 1] === " " || line[end - 1] === "\t") end--;
  return line.slice(0, end);
}

function firstLine(text: string): string {
  return text.replace(/^\w*Error: /, "").split("\n")[0]?.slice(0, 200) ?? "";
}
