import { findCommandFiles } from "../../extension/mod.ts";
import type { FileProblem } from "../../extension/mod.ts";
import { commandPlaces } from "./command_files.ts";
import type { CommandPlaces } from "./command_files.ts";
import { outputStyles } from "./output_styles.ts";
import type { StylePlaces } from "./output_styles.ts";

/**
 * What is wrong with the files of commands and output styles, one line each: `file:line: reason`; `more` is what others have
 * found.
 */
export async function fileProblems(
  places: CommandPlaces & StylePlaces,
  more: readonly FileProblem[] = [],
): Promise<string[]> {
  const [commands, styles] = await Promise.all([
    findCommandFiles(commandPlaces(places)),
    outputStyles(places),
  ]);
  return [...commands.problems, ...styles.problems, ...more].map(problemLine);
}

/** A problem on one line. */
export function problemLine({ file, line, message }: FileProblem): string {
  return `${file}${line === undefined ? "" : `:${line}`}: ${message}`;
}
