import type * as jsonc from "jsonc-parser";
import type { Json } from "../types/mod.ts";

/** The part of `jsonc-parser` that is needed; handed in because it is loaded late. */
export type Jsonc = Pick<typeof jsonc, "parseTree" | "findNodeAtLocation" | "createScanner">;

interface Edit {
  offset: number;
  length: number;
  content: string;
}

/**
 * Sets or removes (`undefined`) the value at `path` in JSON with comments and gives the new text; undefined when a part
 * of the path is there and is neither object nor list. Only the bytes of the value, its separators and, for a removal,
 * a line that becomes blank are touched: `modify` of jsonc-parser takes neighbouring comments with it. A strict JSON
 * text stays one. `text` must parse and hold an object or a list.
 */
export function editJsonc(
  text: string,
  path: readonly (string | number)[],
  value: Json | undefined,
  parser: Jsonc,
): string | undefined {
  const root = parser.parseTree(text, [], { allowTrailingComma: true });
  if (root === undefined) return undefined;
  const target = parser.findNodeAtLocation(root, [...path]);
  if (value === undefined) {
    return target === undefined ? text : apply(text, removal(text, memberOf(target), parser));
  }
  if (target !== undefined) {
    const content = print(value, text, indentAt(text, memberOf(target).offset));
    return apply(text, [{ offset: target.offset, length: target.length, content }]);
  }
  let depth = path.length - 1;
  while (depth > 0 && parser.findNodeAtLocation(root, path.slice(0, depth)) === undefined) depth--;
  const parent = parser.findNodeAtLocation(root, path.slice(0, depth)) ?? root;
  const name = path[depth];
  let inner: Json = value;
  for (const part of path.slice(depth + 1).reverse()) {
    inner = typeof part === "number" ? [inner] : { [part]: inner };
  }
  if (parent.type === "null") {
    const whole: Json = typeof name === "number" ? [inner] : { [String(name)]: inner };
    const content = print(whole, text, indentAt(text, memberOf(parent).offset));
    return apply(text, [{ offset: parent.offset, length: parent.length, content }]);
  }
  if (parent.type !== (typeof name === "number" ? "array" : "object")) return undefined;
  return apply(
    text,
    insertion(text, parent, typeof name === "number" ? undefined : String(name), inner, parser),
  );
}

/** The property around a value, or the value itself inside a list. */
function memberOf(node: jsonc.Node): jsonc.Node {
  return node.parent?.type === "property" ? node.parent : node;
}

/** Adds a member as the last one of an object or list. */
function insertion(
  text: string,
  parent: jsonc.Node,
  name: string | undefined,
  value: Json,
  parser: Jsonc,
): Edit[] {
  const eol = lineEnd(text);
  const key = name === undefined ? "" : `${JSON.stringify(name)}: `;
  const outer = indentAt(text, parent.offset);
  const last = parent.children?.at(-1);
  if (last === undefined) {
    const start = parent.offset + 1;
    const inside = text.slice(start, parent.offset + parent.length - 1);
    const indent = outer + indentUnit(text);
    const content = `${inside.trimEnd()}${eol}${indent}${key}${print(value, text, indent)}${eol}${outer}`;
    return [{ offset: start, length: inside.length, content }];
  }
  const end = last.offset + last.length;
  const comma = commaAfter(text, end, parser);
  const indent = indentAt(text, last.offset);
  const tail = comma === undefined ? "" : ",";
  const after = comma === undefined ? end : comma + 1;
  const own_line = text.slice(parent.offset, last.offset).includes("\n");
  const start = own_line ? lineTail(text, after, parser) : after;
  const content = `${own_line ? eol + indent : " "}${key}${print(value, text, indent)}${tail}`;
  if (comma !== undefined) return [{ offset: start, length: 0, content }];
  if (start === end) return [{ offset: end, length: 0, content: "," + content }];
  return [{ offset: end, length: 0, content: "," }, { offset: start, length: 0, content }];
}

/** Takes a member away with one comma, and with its line when nothing else stands there. */
function removal(text: string, member: jsonc.Node, parser: Jsonc): Edit[] {
  let start = member.offset;
  let end = member.offset + member.length;
  const edits: Edit[] = [];
  const comma = commaAfter(text, end, parser);
  if (comma !== undefined) {
    end = comma + 1;
  } else {
    const siblings = member.parent?.children ?? [];
    const previous = siblings[siblings.indexOf(member) - 1];
    const before = previous && commaAfter(text, previous.offset + previous.length, parser);
    if (before !== undefined) edits.push({ offset: before, length: 1, content: "" });
  }
  const line_start = text.lastIndexOf("\n", start - 1) + 1;
  const blank_after = /^[ \t]*(\r\n|\n|\r)/.exec(text.slice(end));
  if (/^[ \t]*$/.test(text.slice(line_start, start)) && blank_after !== null) {
    start = line_start;
    end += blank_after[0].length;
  } else {
    end += /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  }
  edits.push({ offset: start, length: end - start, content: "" });
  return edits;
}

/** Offset of the comma that follows a member, comments passed over. */
function commaAfter(text: string, offset: number, parser: Jsonc): number | undefined {
  const scanner = parser.createScanner(text, true);
  scanner.setPosition(offset);
  return scanner.scan() === COMMA ? scanner.getTokenOffset() : undefined;
}

/** The end of the comments that stand behind `offset` on the same line. */
function lineTail(text: string, offset: number, parser: Jsonc): number {
  const scanner = parser.createScanner(text, false);
  scanner.setPosition(offset);
  let end = offset;
  for (let token = scanner.scan();; token = scanner.scan()) {
    if (token === LINE_COMMENT || token === BLOCK_COMMENT) end = scanner.getPosition();
    else if (token !== TRIVIA) return end;
  }
}

// `SyntaxKind` is a const enum, of which only the numbers exist at run time
const COMMA = 5;
const LINE_COMMENT = 12;
const BLOCK_COMMENT = 13;
const TRIVIA = 15;

function print(value: Json, text: string, indent: string): string {
  return JSON.stringify(value, null, indentUnit(text)).replaceAll("\n", lineEnd(text) + indent);
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function indentUnit(text: string): string {
  return /^(\t|[ ]+)\S/m.exec(text)?.[1] ?? "  ";
}

function lineEnd(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

function apply(text: string, edits: Edit[]): string {
  let result = text;
  for (const edit of edits.toSorted((a, b) => b.offset - a.offset)) {
    result = result.slice(0, edit.offset) + edit.content + result.slice(edit.offset + edit.length);
  }
  return result;
}
