import { replacedView, type TextView } from "./text_view.ts";

const PLAIN: Readonly<Record<string, string>> = {
  "\u2018": "'",
  "\u2019": "'",
  "\u201a": "'",
  "\u201b": "'",
  "\u2032": "'",
  "\u201c": '"',
  "\u201d": '"',
  "\u201e": '"',
  "\u201f": '"',
  "\u2033": '"',
  "\u2010": "-",
  "\u2011": "-",
  "\u2012": "-",
  "\u2013": "-",
  "\u2014": "-",
  "\u2015": "-",
  "\u2212": "-",
  "\u2026": "...",
  "\u3001": ",",
  "\u3002": ".",
  "\uff61": ".",
  "\uff64": ",",
};
const TYPOGRAPHIC =
  /[\u00a0\u2002-\u200a\u202f\u205f\u3000\u2018-\u201f\u2010-\u2015\u2026\u2032\u2033\u2212\u3001\u3002\uff01-\uff5e\uff61\uff64]/g;

/**
 * Typographic quotes, dashes, spaces and the ellipsis as ASCII; full-width characters (U+FF01 to U+FF5E) and CJK
 * comma and stop as their half-width twins.
 */
export function foldedView(base: TextView): TextView {
  return replacedView(base, TYPOGRAPHIC, (character) => {
    const code = character.charCodeAt(0);
    if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
    return PLAIN[character] ?? " ";
  });
}
