import { HOLE, INNER_SPACE } from "../wildcard.ts";

/**
 * A piece of a shell word: known text, wildcard characters that the shell may expand to file names, or a part that is
 * known only when the line runs (`values` when it can be only one of these; `pattern` when it is known to hold wildcards).
 */
export type Part =
  | { kind: "text"; text: string; quoted: boolean }
  | { kind: "glob"; text: string }
  | { kind: "hole"; quoted: boolean; values?: readonly string[]; pattern?: boolean };

/** One word of a command after quoting and escapes are taken away. */
export interface Word {
  /** As written. */
  raw: string;
  parts: readonly Part[];
}

/** A word of known text. */
export function textWord(text: string, raw = text): Word {
  return { raw, parts: [{ kind: "text", text, quoted: true }] };
}

/** A word of which nothing is known. */
export function unknownWord(raw: string): Word {
  return { raw, parts: [{ kind: "hole", quoted: false }] };
}

/** The word's text when it is wholly known and no file name pattern. */
export function literal(word: Word | undefined): string | undefined {
  if (word === undefined) return undefined;
  let text = "";
  for (const part of word.parts) {
    if (part.kind === "text") text += part.text;
    else if (part.kind === "hole" && part.values?.length === 1) text += part.values[0];
    else return undefined;
  }
  return text;
}

/** All texts the word can have without looking at the disk; undefined when they are not known or too many. */
export function knownTexts(word: Word): string[] | undefined {
  let texts = [""];
  for (const part of word.parts) {
    if (part.kind === "glob") return undefined;
    const next = part.kind === "text" ? [part.text] : part.values;
    if (next === undefined || texts.length * next.length > 512) return undefined;
    texts = next.length === 1
      ? texts.map((text) => text + next[0])
      : texts.flatMap((t) => next.map((n) => t + n));
  }
  return texts;
}

/** True of a variable outside of quotes whose known value the shell takes for a pattern (`x='../*'; echo $x`). */
export function mayHoldWildcards(part: Part): boolean {
  return part.kind === "hole" && part.pattern === true;
}

/** The text in front of the first part that is not known. */
export function knownPrefix(word: Word): string {
  let text = "";
  for (const part of word.parts) {
    if (part.kind !== "text") break;
    text += part.text;
  }
  return text;
}

/** True when the shell may make several words of it, or none. */
export function maySplit(word: Word): boolean {
  return word.parts.some((part) => part.kind === "hole" && !part.quoted);
}

/** How a word stands in a line that rules are matched against. */
export interface LineStyle {
  /** Wildcards of the shell count as unknown text instead of as the characters they are. */
  globs_unknown: boolean;
  /** Blanks inside a word are told apart from those between words. */
  inner_spaces: boolean;
}

/** A command line of these words for rule matching; unknown parts are holes. */
export function wordsLine(words: readonly Word[], style: LineStyle): string {
  return words.map((word) => {
    let text = "";
    for (const part of word.parts) {
      if (part.kind === "text") text += part.text;
      else if (part.kind === "glob") text += style.globs_unknown ? HOLE : part.text;
      else text += part.values?.length === 1 ? part.values[0] : HOLE;
    }
    return style.inner_spaces ? text.replaceAll(" ", INNER_SPACE) : text;
  }).join(" ");
}

/** Decodes the inside of `$'…'`; undefined for an escape that is not known. */
export function decodeAnsiC(text: string): string | undefined {
  let known = true;
  const simple: Record<string, string> = {
    n: "\n",
    t: "\t",
    r: "\r",
    a: "\x07",
    b: "\b",
    e: "\x1b",
    E: "\x1b",
    f: "\f",
    v: "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
  };
  const decoded = text.replace(
    /\\(x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|[0-7]{1,3}|[\s\S]?)/g,
    (_, escape: string) => {
      const plain = simple[escape];
      if (plain !== undefined) return plain;
      const code = /^[0-7]/.test(escape)
        ? parseInt(escape, 8) & 0xff
        : /^[xuU]./.test(escape)
        ? parseInt(escape.slice(1), 16)
        : NaN;
      // bytes of a longer UTF-8 character cannot be decoded one by one
      if (Number.isNaN(code) || code === 0 || (code > 127 && !/^[uU]/.test(escape)) || code > 0x10ffff) {
        known = false;
        return "";
      }
      return String.fromCodePoint(code);
    },
  );
  return known ? decoded : undefined;
}
