import { LuminaError } from "../base/mod.ts";

/** A line of a hunk: kept, added or removed. */
export interface PatchLine {
  kind: " " | "+" | "-";
  text: string;
}

/** One place of a file that changes. */
export interface PatchHunk {
  /** Lines that stand somewhere before it, outermost first. */
  anchors: string[];
  lines: PatchLine[];
  /** It ends where the file ends. */
  at_end: boolean;
  /** About where its first line is, from 1. */
  near?: number;
}

/** What a patch does to one file. Paths are as the patch has them. */
export type PatchFile =
  | { kind: "add"; path: string; text: string }
  | { kind: "delete"; path: string }
  | { kind: "update"; path: string; move_to?: string; hunks: PatchHunk[] };

/** `files.patch`: what is wrong with a patch, and at which line. */
export function patchError(problem: string, line?: number): LuminaError {
  const where = line === undefined ? "" : ` at line ${line}`;
  return new LuminaError("files.patch", `The patch cannot be read${where}: ${problem}`);
}
