import { baseName } from "./program_name.ts";
import { literal } from "./word.ts";
import type { Word } from "./word.ts";

const WRITERS = new Set(
  ("rm rmdir mv cp ln touch mkdir tee truncate chmod chown chgrp shred install unlink mkfifo mknod patch ed dd sponge " +
    "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lzma unlzma setfacl chattr link srm").split(" "),
);

/** True for a program whose operands are files that it changes. */
export function writesFiles(words: readonly Word[]): boolean {
  const name = baseName(literal(words[0]) ?? "");
  if (WRITERS.has(name)) return true;
  return name === "sed" && words.some((word) => /^(-[a-zA-Z]*i|--in-place)/.test(literal(word) ?? ""));
}

/** The file that an operand names: `of=x` of `dd` is x, and its other operands name none that it writes. */
export function writtenOperand(words: readonly Word[], operand: string): string | undefined {
  if (baseName(literal(words[0]) ?? "") !== "dd") return operand;
  return /^of=([\s\S]+)$/.exec(operand)?.[1];
}

/** True for a program that reads all that lies in a folder which its words name. */
export function readsFolders(words: readonly Word[]): boolean {
  return /^(cp|mv|rsync|scp|tar|bsdtar|zip|7z|7za|cpio|pax|ar|ditto|install)$/.test(
    baseName(literal(words[0]) ?? ""),
  );
}

/** True for a program that also reads what its operands name, so that a copy is a way to read. */
export function copiesFiles(words: readonly Word[]): boolean {
  return /^(cp|mv|ln|link|install|patch|sed|dd|gzip|gunzip|bzip2|bunzip2|xz|unxz|zstd|unzstd)$/.test(
    baseName(literal(words[0]) ?? ""),
  );
}
