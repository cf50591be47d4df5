import type { Skill } from "../../../extension/mod.ts";
import type { Message } from "../../../types/mod.ts";

/** Of the window, at most; four characters count as a token. */
const SHARE = 0.01;
/** Characters that a small window leaves all the same. */
const LEAST = 1_500;
const MOST_ENTRY = 250;
const OPEN = "<skills>";
const CLOSE = "</skills>";
const HEAD = "Skills for the Skill tool; when a task fits one, load it first:";

/**
 * The skills that the model may use, for its first message: the program's own first, then by place and name. What does not
 * fit into a hundredth of the window is named without its description. Empty when there is none.
 */
export function skillListing(skills: readonly Skill[], window: number): string {
  const offered = skills.filter(({ model_invocable }) => model_invocable);
  if (offered.length === 0) return "";
  const sorted = [
    ...offered.filter(({ source }) => source === "bundled"),
    ...offered.filter(({ source }) => source !== "bundled"),
  ];
  let left = Math.max(LEAST, Math.floor(window * SHARE * 4)) - HEAD.length;
  const lines: string[] = [];
  const short: string[] = [];
  for (const skill of sorted) {
    const line = `- ${skill.name}: ${said(skill)}`;
    if (line.length + 1 > left) {
      short.push(skill.name);
      continue;
    }
    left -= line.length + 1;
    lines.push(line);
  }
  if (short.length > 0) lines.push(`Also: ${short.join(", ")}`);
  return [OPEN, HEAD, ...lines, CLOSE].join("\n");
}

/** What says that there is none any more. */
export const NO_SKILLS = `${OPEN}\nNo skill can be used any more.\n${CLOSE}`;

/** The last listing in a conversation; undefined where there is none. */
export function lastListing(messages: readonly Message[]): string | undefined {
  for (const { role, content } of messages.toReversed()) {
    if (role !== "user") continue;
    for (const block of content.toReversed()) {
      if (block.type !== "text") continue;
      const from = block.text.lastIndexOf(`${OPEN}\n`);
      const to = from === -1 ? -1 : block.text.indexOf(CLOSE, from);
      if (to !== -1) return block.text.slice(from, to + CLOSE.length);
    }
  }
  return undefined;
}

function said({ description, when_to_use }: Skill): string {
  const text = [description, when_to_use ?? ""].filter((part) => part !== "").join(" ").replace(/\s+/g, " ")
    .replaceAll(CLOSE, "");
  return text.length <= MOST_ENTRY ? text : `${text.slice(0, MOST_ENTRY - 1)}…`;
}
