import type { SearchPattern } from "./compile_pattern.ts";

/** A line of a text that matches: where it starts and ends, and where the match is in it. */
export type FoundLine = (start: number, end: number, matchAt: number, matchLength: number) => boolean;

/**
 * Tells `found` of each line of `text` that matches, in order, until it returns false. A cheap search runs over the
 * whole text; only lines it stops at are put to the pattern itself. Returns false when `found` did.
 */
export function findLines(text: string, pattern: SearchPattern, found: FoundLine): boolean {
  const { scan, literal, is_literal, ignore_case, line } = pattern;
  const byText = literal !== undefined && !ignore_case;
  if (byText && !text.includes(literal)) return true;
  for (let at = 0; at < text.length;) {
    let hit = at;
    if (byText) hit = text.indexOf(literal, at);
    else if (scan !== undefined) {
      scan.lastIndex = at;
      hit = scan.exec(text)?.index ?? -1;
    }
    if (hit < 0 || hit >= text.length && text.endsWith("\n")) return true;
    const start = hit === 0 ? 0 : text.lastIndexOf("\n", hit - 1) + 1;
    const lineFeed = text.indexOf("\n", hit);
    const end = lineFeed < 0 ? text.length : lineFeed;
    if (is_literal) {
      if (!found(start, end, hit - start, literal!.length)) return false;
    } else {
      const match = matchLine(text.slice(start, text[end - 1] === "\r" && end > start ? end - 1 : end), line);
      if (match !== null && !found(start, end, match.index, match[0].length)) return false;
    }
    at = end + 1;
  }
  return true;
}

/** The first match in one line. */
export function matchLine(text: string, line: RegExp): RegExpExecArray | null {
  line.lastIndex = 0;
  return line.exec(text);
}

/** As `findLines`, for patterns that span lines: every line that a match touches. */
export function findAcrossLines(text: string, pattern: SearchPattern, found: FoundLine): boolean {
  const { line } = pattern;
  let next = 0; // lines before this offset are told already
  for (line.lastIndex = 0;;) {
    const match = line.exec(text);
    if (match === null || match.index >= text.length && text.length > 0) return true;
    const stop = Math.max(match.index, match.index + match[0].length - 1);
    let start = match.index === 0 ? 0 : text.lastIndexOf("\n", match.index - 1) + 1;
    do {
      const lineFeed = text.indexOf("\n", start);
      const end = lineFeed < 0 ? text.length : lineFeed;
      const from = Math.max(0, match.index - start);
      const length = Math.min(end, match.index + match[0].length) - start - from;
      if (start >= next && !found(start, end, from, Math.max(0, length))) return false;
      start = end + 1;
      next = Math.max(next, start);
    } while (start <= stop && start < text.length);
    if (match[0].length === 0) line.lastIndex = Math.max(next, line.lastIndex + 1);
  }
}
