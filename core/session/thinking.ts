import type { AssistantMessage, Message } from "../types/mod.ts";
import type { SessionState } from "./state.ts";

/** Remembers which model an answer's reasoning is of. */
export function noteThinking(state: SessionState, seq: number, { content }: AssistantMessage): void {
  if (content.some(isThinking)) state.thought[seq] = state.run?.answers ?? state.model;
}

/**
 * A message as `model` may have it: the reasoning of another model is left out, since its signature means nothing there. The
 * same message, byte for byte, where it is the model's own.
 */
export function asModelMayHave(
  message: Message,
  origin: number,
  model: string,
  { thought }: Readonly<Pick<SessionState, "thought">>,
): Message {
  if (message.role !== "assistant" || (thought[origin] ?? model) === model) return message;
  const content = message.content.filter((block) => !isThinking(block));
  if (content.length > 0) return { role: "assistant", content };
  return { role: "assistant", content: [{ type: "text", text: "[Only reasoning of another model.]" }] };
}

function isThinking({ type }: { type: string }): boolean {
  return type === "thinking" || type === "redacted_thinking";
}
