import { baseName } from "./program_name.ts";
import { literal } from "./word.ts";
import type { Word } from "./word.ts";

const WRITERS = new Set(
  "rm rmdir mv cp ln touch mkdir tee truncate chmod chown chgrp shred install unlink mkfifo patch ed".split(
    " ",
  ),
);

/** True for a program whose operands are files that it changes. */
export function writesFiles(words: readonly Word[]): boolean {
  const name = baseName(literal(words[0]) ?? "");
  if (WRITERS.has(name)) return true;
  return name === "sed" && words.some((word) => /^(-[a-zA-Z]*i|--in-place)/.test(literal(word) ?? ""));
}

/** True for a program that also reads what its operands name, so that a copy is a way to read. */
export function copiesFiles(words: readonly Word[]): boolean {
  return /^(cp|mv|ln|install|patch|sed)$/.test(baseName(literal(words[0]) ?? ""));
}
