import { EXIT, LuminaError } from "../../base/mod.ts";

/**
 * The words of a command's arguments: separated by blanks, quoted with `"…"` or `'…'`, a backslash takes the next
 * character as it is. Throws `command.usage` for a quote that is not closed.
 */
export function splitWords(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? "";
    if (char === "\\" && quote !== "'" && at + 1 < text.length) word = (word ?? "") + text[++at];
    else if (quote !== "") {
      if (char === quote) quote = "";
      else word = (word ?? "") + char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + char;
  }
  if (quote !== "") {
    throw new LuminaError("command.usage", `The quote ${quote} is not closed in: ${text}`, {
      exit: EXIT.usage,
    });
  }
  if (word !== undefined) words.push(word);
  return words;
}
