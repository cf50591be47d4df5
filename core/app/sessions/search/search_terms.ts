/** Scripts that are written without spaces: each of their characters is a term of its own. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc\u3005\u3006]/gu;

/** What is left of a text that the tokenizer would find no term in. */
const TERM = /[\p{L}\p{N}\p{Co}]/u;

/** A word of fewer characters is not also the beginning of others: it would be that of too many. */
const SHORTEST_BEGINNING = 3;

/**
 * A text as the index has it: in compatibility form, lower case, with each character of a script without spaces set
 * apart. FTS5's `unicode61` splits the rest into words. A run of such characters is then found as a phrase, whatever its
 * length, so words of one and two characters need no other way.
 */
export function segment(text: string): string {
  return text.toWellFormed().normalize("NFKC").toLowerCase().replace(UNSPACED, " $& ");
}

/**
 * What a person looks for as an FTS5 expression: every word must be in the same message, `"in quotes"` word for word. A
 * word also stands for words that it begins. Nothing else has a meaning: operators and stray quotes are text. Undefined
 * when there is no letter and no digit to look for.
 */
export function matchExpression(query: string, columns: readonly string[]): string | undefined {
  const terms: string[] = [];
  for (const { text, quoted } of partsOf(query)) {
    const words = segment(text).replaceAll("\0", " ").replaceAll('"', " ").trim();
    if (!TERM.test(words)) continue;
    terms.push(`"${words}"${!quoted && isBeginning(words) ? "*" : ""}`);
  }
  return terms.length === 0 ? undefined : `{${columns.join(" ")}} : (${terms.join(" AND ")})`;
}

/** The parts of a query as they are marked in what is found, longest first. */
export function queryParts(query: string): string[] {
  return partsOf(query).map(({ text }) => text.toWellFormed().normalize("NFKC").trim())
    .filter((text) => TERM.test(text)).sort((a, b) => b.length - a.length);
}

function partsOf(query: string): { text: string; quoted: boolean }[] {
  return [...query.matchAll(/"([^"]*)"|[^\s"]+/gu)].map(([whole, inside]) => ({
    text: inside ?? whole,
    quoted: inside !== undefined,
  }));
}

function isBeginning(words: string): boolean {
  const last = words.split(/[^\p{L}\p{N}\p{M}\p{Co}]+/u).findLast((word) => word !== "") ?? "";
  return [...last].length >= SHORTEST_BEGINNING;
}
