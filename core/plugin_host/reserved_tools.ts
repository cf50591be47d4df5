/**
 * Names that the host itself asks and judges by, though no tool of the program has them: questions to a person, what packs
 * do through the services, and what rules on files stand for. A pack's tool of such a name would have its permission asked
 * as something harmless, or be let through by a rule that was written for something else.
 */
const RESERVED = [
  "AskUserQuestion",
  "ask_user_question",
  "WebFetch",
  "web_fetch",
  "WebSearch",
  "web_search",
  "NotebookEdit",
  "apply_patch",
];

const FOLDED = new Set(RESERVED.map((name) => name.toLowerCase()));

/** True for a name that no tool of a pack may have, in whatever case it is written. */
export function isReservedTool(name: string): boolean {
  return FOLDED.has(name.toLowerCase());
}
