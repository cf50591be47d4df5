import type { JsonObject } from "./json.ts";
import type { MediaBlock } from "./media.ts";

/** Text that a person or the model wrote. */
export interface TextBlock {
  type: "text";
  text: string;
}

/** Visible reasoning of a model; `signature` must go back to the provider byte for byte. */
export interface ThinkingBlock {
  type: "thinking";
  text: string;
  signature?: string;
}

/** Reasoning that the provider encrypted; goes back to it byte for byte. */
export interface RedactedThinkingBlock {
  type: "redacted_thinking";
  data: string;
}

/**
 * A tool call as the model asked for it. `call_id` is ours (a UUID) and is the only key used inside Lumina;
 * `wire_id` is what the provider called it and is wire data alone.
 * When the arguments were not a JSON object, `malformed` holds them and `input` is empty: such a call never runs.
 */
export interface ToolUseBlock {
  type: "tool_use";
  call_id: string;
  wire_id: string;
  name: string;
  input: JsonObject;
  malformed?: { raw: string; error: string };
}

/** The outcome of a tool call, as the model sees it. */
export interface ToolResultBlock {
  type: "tool_result";
  call_id: string;
  content: string;
  is_error: boolean;
  /** What the call shows beside its text. */
  media?: MediaBlock[];
}

export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock;
export type UserBlock = TextBlock | ToolResultBlock | MediaBlock;

export interface UserMessage {
  role: "user";
  content: UserBlock[];
}

export interface AssistantMessage {
  role: "assistant";
  content: AssistantBlock[];
}

/** One message of a conversation, independent of any provider's wire. */
export type Message = UserMessage | AssistantMessage;

/** The text of a message's text blocks, joined without a separator. */
export function messageText(message: Message): string {
  let text = "";
  for (const block of message.content) if (block.type === "text") text += block.text;
  return text;
}
