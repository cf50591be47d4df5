import {
  foldedView,
  hiddenText,
  lineView,
  normalFormView,
  plainView,
  type TextView,
  withLf,
} from "../../core/files/mod.ts";

/** How exactly a text was found. */
export type MatchKind = "verbatim" | "exact" | "escaped" | "normal_form" | "punctuation";

/** Where `old_string` was found in the text of a file. */
export interface Matches {
  kind: MatchKind;
  /** Spans of the text, in order. */
  spans: { start: number; end: number }[];
  /** What was looked for, in the form that `offsetIn` counts in. */
  wanted: string;
  /** The offset in the text for an offset in `wanted`, for the span with that start; -1 inside something folded. */
  offsetIn(span_start: number, wanted_offset: number): number;
}

/** So many places are told apart when only one may fit; to replace them all, all are found. */
export const MOST_COUNTED = 1000;

/**
 * Finds `old_string` in `text`, from strict to tolerant, and stops at the first way that finds anything: with CR as it
 * stands (only when `old_string` has one); with any line end for a line end; with `\xNN` read as the byte that Read
 * shows so; in normal form C; with typographic and full-width punctuation as ASCII. With `all` the matches do not
 * overlap; without, every start counts, so that one match means unambiguous.
 */
export function findMatch(text: string, old_string: string, all: boolean): Matches | null {
  const file = plainView(text);
  const lines = lineView(file);
  const wanted = plainView(withLf(old_string));
  const bytes = plainView(hiddenText(wanted.text));
  const found =
    (old_string.includes("\r") ? matchesIn(file, plainView(old_string), "verbatim", all) : null) ??
      matchesIn(lines, wanted, "exact", all) ??
      (bytes.text === wanted.text ? null : matchesIn(lines, bytes, "escaped", all));
  if (found !== null) return found;
  const composed = normalFormView(lines);
  const wanted_composed = normalFormView(wanted);
  const normal = composed === lines && wanted_composed === wanted
    ? null
    : matchesIn(composed, wanted_composed, "normal_form", all);
  const loose = normal ?? matchesIn(foldedView(composed), foldedView(wanted_composed), "punctuation", all);
  return loose === null ? null : { ...loose, wanted: wanted.text };
}

function matchesIn(file: TextView, wanted: TextView, kind: MatchKind, all: boolean): Matches | null {
  const spans: { start: number; end: number }[] = [];
  const length = wanted.text.length;
  for (let at = file.text.indexOf(wanted.text); at >= 0 && (all || spans.length < MOST_COUNTED);) {
    const start = file.toSource(at);
    const end = file.toSource(at + length);
    const fits = start >= 0 && end >= 0;
    if (fits) spans.push({ start, end });
    at = file.text.indexOf(wanted.text, at + (fits && all ? length : 1));
  }
  if (spans.length === 0) return null;
  return {
    kind,
    spans,
    wanted: wanted.text,
    offsetIn(span_start, wanted_offset) {
      const inner = wanted.toView(wanted_offset);
      return inner < 0 ? -1 : file.toSource(file.toView(span_start) + inner);
    },
  };
}
