import { keptFrom } from "../../session/mod.ts";
import type { SessionState } from "../../session/mod.ts";
import type { Message } from "../../types/mod.ts";
import { messageTokens } from "../context/token_count.ts";

type Conversation = Readonly<Pick<SessionState, "messages" | "origins" | "compactions">>;

/**
 * The first message to keep, when what is kept may take `budget` tokens and `most` messages: as many of the last ones as
 * fit. What waits for the model (a prompt; results with the answer that asked for them) is kept in any case. Where
 * everything fits, only that is. Undefined when there is nothing before it to sum up.
 */
export function cutPoint(state: Conversation, budget: number, most: number): number | undefined {
  const { messages } = state;
  const first = keptFrom(state);
  const least = waiting(state, first);
  if (least <= first) return undefined;
  let chosen = least;
  let tokens = messageTokens(messages.slice(least));
  for (let index = least - 1; index >= first; index--) {
    const message = messages[index];
    if (message !== undefined) tokens += messageTokens([message]);
    if (tokens > budget || messages.length - index > most) return chosen;
    if (mayCut(state, index)) chosen = index;
  }
  return least;
}

/** Where that begins which the model has not answered yet; the end when it has answered everything. */
function waiting(state: Conversation, first: number): number {
  const { messages } = state;
  let index = messages.length;
  while (index > first && messages[index - 1]?.role === "user") index--;
  while (index > first && !mayCut(state, index)) index--;
  return index;
}

/**
 * True where the kept part may begin: before a message without results, so that calls and results stay together, whose
 * number names it alone. The end counts: then nothing is kept.
 */
function mayCut({ messages, origins }: Conversation, index: number): boolean {
  const message = messages[index];
  if (message === undefined) return true;
  return !holdsResults(message) && origins.indexOf(origins[index] ?? -1) === index;
}

/** True for the message that brings the results of calls. */
export function holdsResults({ role, content }: Message): boolean {
  return role === "user" && content.some(({ type }) => type === "tool_result");
}
