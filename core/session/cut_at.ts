import { LuminaError } from "../base/mod.ts";
import type { SessionState } from "./state.ts";

/**
 * How many messages of the conversation remain when it goes back to the message `seq` (its number in `session show`).
 * A prompt is taken back: what remains is what was there before it was sent. An answer stays, with the results of the
 * tools that it called. Throws `session.no_message` (exit 4) when no message of the conversation has this number.
 */
export function cutAt(state: Readonly<Pick<SessionState, "messages" | "origins">>, seq: number): number {
  const index = state.origins.indexOf(seq);
  const message = state.messages[index];
  if (message === undefined || isResults(message)) {
    throw new LuminaError(
      "session.no_message",
      `The conversation has no message ${seq}: lumina session show lists their numbers`,
      { exit: 4 },
    );
  }
  if (message.role === "user") return index;
  const next = state.messages[index + 1];
  return next !== undefined && isResults(next) ? index + 2 : index + 1;
}

function isResults(message: SessionState["messages"][number]): boolean {
  return message.role === "user" && message.content.some((block) => block.type === "tool_result");
}
