import type { Word } from "./word.ts";

const KEYWORDS = new Set(
  "{ } ! if then elif else fi for while until do done case esac in function select ]] ( )".split(" "),
);

/** True for an unquoted keyword of the shell that stands where a word was expected. */
export function isKeyword(word: Word | undefined): boolean {
  return word !== undefined && KEYWORDS.has(word.raw);
}
