import { queryParts } from "./search_terms.ts";

/** Characters of a snippet, marks not counted. */
const LENGTH = 160;
/** Of these before the first hit. */
const BEFORE = 50;

/** The stretch of a text around what was found, on one line; `marks` are the places of the hits in it. */
export interface Snippet {
  text: string;
  marks: { from: number; to: number }[];
}

/** Cuts the stretch around the first hit out of a text and says where in it the parts of the query stand. */
export function snippetOf(source: string, query: string): Snippet {
  const text = source.toWellFormed().normalize("NFKC").replace(/\s+/gu, " ").trim();
  const folded = fold(text);
  const parts = queryParts(query).map((part) => fold(part.replace(/\s+/gu, " ")).text);
  const hits = parts.flatMap((part) => places(folded.text, part)).sort((a, b) => a.from - b.from);
  const first = hits[0]?.from ?? 0;
  const start = Math.max(0, Math.min(first - BEFORE, folded.text.length - LENGTH));
  const from = boundary(text, folded.at(start));
  const to = boundary(text, folded.at(start + LENGTH));
  const lead = from > 0 ? "…" : "";
  const shift = lead.length - from;
  const marks: Snippet["marks"] = [];
  for (const hit of hits) {
    const [a, b] = [folded.at(hit.from), folded.at(hit.to)];
    if (a < from || b > to || a < (marks.at(-1)?.to ?? 0) - shift) continue;
    marks.push({ from: a + shift, to: b + shift });
  }
  return { text: `${lead}${text.slice(from, to)}${to < text.length ? "…" : ""}`, marks };
}

/** A text without case and accents, and the way back from a place in it. */
function fold(text: string): { text: string; at(index: number): number } {
  const places: number[] = [];
  let folded = "";
  let place = 0;
  for (const char of text) {
    const plain = /\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic}/u.test(char)
      ? char.normalize("NFD").replace(/\p{M}/gu, "")
      : char;
    const lower = plain.toLowerCase();
    folded += lower;
    for (let unit = 0; unit < lower.length; unit++) places.push(place);
    place += char.length;
  }
  return { text: folded, at: (index) => index < 0 ? 0 : places[index] ?? text.length };
}

/** Where a part stands in a folded text: words at their beginning, so that "art" is not marked in "part". */
function places(text: string, part: string): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  if (part === "") return found;
  const word = /^[\p{L}\p{N}]/u.test(part) && !/^\p{Lo}/u.test(part);
  for (let from = text.indexOf(part); from >= 0; from = text.indexOf(part, from + part.length)) {
    if (word && /(?!\p{Lo})[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, from - 2), from))) continue;
    found.push({ from, to: from + part.length });
  }
  return found;
}

/** Not between the halves of a surrogate pair. */
function boundary(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff ? index - 1 : index;
}
