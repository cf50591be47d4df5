import { foldedView, normalFormView, plainView, visibleText, withLf } from "../../core/files/mod.ts";
import { lineDifference } from "./line_difference.ts";

/** Only so much of a file is searched for something similar. */
const SEARCHED_CHARS = 4_000_000;
const SEARCHED_LINES = 20_000;
const COMPARED_CHARS = 400;
const SHOWN_CHARS = 160;

/**
 * What to tell about a text that was not found: the place of the file that is most like it, and the first line there
 * that differs, with the code points named.
 */
export function nearestText(text: string, old_string: string): string {
  const wanted = withLf(old_string).split("\n");
  const filled = wanted.filter((line) => line.trim() !== "");
  if (filled.length > 0 && filled.every((line) => /^\s*\d+\t/.test(line))) {
    return "Leave out the line numbers and the tab that Read puts before each line";
  }
  const file = withLf(text.slice(0, SEARCHED_CHARS)).split("\n");
  const start = nearestStart(file, wanted);
  if (start === null) return "Nothing in the file is like it; read the file again";
  for (const [index, line] of wanted.entries()) {
    const there = file[start + index];
    if (there !== undefined && fits(there, line, index === 0, index === wanted.length - 1)) continue;
    if (there === undefined || (there === "" && start + index === file.length - 1)) {
      return `The nearest text starts at line ${start + 1}, but the file ends before ${clip(line)}`;
    }
    // the first wanted line may begin after the indentation
    const body = index === 0 && line === line.trimStart() ? there.trimStart() : there;
    const from = clipStart(body, line);
    return `The nearest text is at line ${start + index + 1}:\n  file:       ${
      clip(body, from)
    }\n  old_string: ${clip(line, from)}\n${lineDifference(body, line, there.length - body.length)}`;
  }
  return `The nearest text is at line ${start + 1}: ${clip(file[start] ?? "")}`;
}

/** True when a line of the file is what was wanted; the first and last wanted line may be parts of theirs. */
function fits(there: string, line: string, first: boolean, last: boolean): boolean {
  if (first && last) return there.includes(line);
  return first ? there.endsWith(line) : last ? there.startsWith(line) : there === line;
}

/** 0-based line where the wanted lines fit best, null when no line is similar. */
function nearestStart(file: readonly string[], wanted: readonly string[]): number | null {
  const keys = wanted.map(keyOf);
  let anchor = 0;
  for (const [index, key] of keys.entries()) if (key.length > (keys[anchor] ?? "").length) anchor = index;
  const anchor_key = keys[anchor] ?? "";
  if (anchor_key === "") return null;
  const anchor_pairs = pairsOf(anchor_key);
  let best: { start: number; score: number } | null = null;
  for (const [index, line] of file.slice(0, SEARCHED_LINES).entries()) {
    const similar = likeness(keyOf(line), anchor_key, anchor_pairs);
    if (similar < 0.5) continue;
    const start = index - anchor;
    let score = similar;
    for (let near = 0; near < Math.min(keys.length, 50); near++) {
      if (near !== anchor && keys[near] !== "" && keyOf(file[start + near] ?? "") === keys[near]) score++;
    }
    if (start >= 0 && (best === null || score > best.score)) best = { start, score };
  }
  return best?.start ?? null;
}

/** A line without what people overlook: blanks, normal form, typography. */
function keyOf(line: string): string {
  const squeezed = line.slice(0, COMPARED_CHARS).replace(/\s+/g, " ").trim();
  return foldedView(normalFormView(plainView(squeezed))).text.replace(/[\u200b-\u200f\ufeff]/g, "");
}

/** 1 for equal, 0.9 for a part of it, else the Dice coefficient of the two-letter pairs. */
function likeness(key: string, wanted: string, wanted_pairs: ReadonlyMap<string, number>): number {
  if (key === wanted) return 1;
  if (wanted.length > 3 && key.includes(wanted)) return 0.9;
  const total = key.length + wanted.length - 2;
  if (key.length < 2 || wanted.length < 2 || 2 * Math.min(key.length, wanted.length) - 2 < total * 0.5) {
    return 0;
  }
  let common = 0;
  for (const [pair, count] of pairsOf(key)) common += Math.min(count, wanted_pairs.get(pair) ?? 0);
  return 2 * common / total;
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let index = 0; index + 1 < text.length; index++) {
    const pair = text.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

/** Where to start showing two lines so that their first difference is seen. */
function clipStart(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  return same < SHOWN_CHARS - 20 ? 0 : same - 40;
}

function clip(line: string, from = 0): string {
  const shown = visibleText(line.slice(from, from + SHOWN_CHARS)).text;
  return `${from > 0 ? "…" : ""}${shown}${line.length > from + SHOWN_CHARS ? "…" : ""}`;
}
