import type { SessionParts } from "../session_parts.ts";

/** What is wrong with the files of commands, skills and agents, one line each: `file:line: reason`. */
export async function fileProblems(parts: SessionParts): Promise<string[]> {
  await Promise.resolve();
  void parts;
  return [];
}
