import type { ModelRequest } from "../../model/mod.ts";
import { contextMessages } from "../../session/mod.ts";
import type { SessionState } from "../../session/mod.ts";
import { withoutMedia } from "../../types/mod.ts";
import type { Message, ToolSchema } from "../../types/mod.ts";

/** What the wire adds to a message: its role and the frame of its blocks. */
const MESSAGE = 6;
/** A provider's count that is below this share of the estimate counts something else. */
const TRUSTED = 0.25;

/**
 * Roughly how many tokens a text has: four ASCII characters make one, as does a single character of the scripts that
 * are written without spaces (Chinese, Japanese, Korean, …); any other one is 0.6.
 */
export function textTokens(text: string): number {
  let other = 0;
  let wide = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 128) continue;
    if (code < WIDE) other++;
    else wide++;
  }
  return Math.ceil((text.length - other - wide) / 4 + other * 0.6 + wide);
}

/** From here on characters are mostly whole words or syllables. */
const WIDE = 0x2e80;

/** The same of messages, with what pictures and documents take. Each message is counted once and remembered. */
export function messageTokens(messages: readonly Message[]): number {
  let sum = 0;
  for (const message of messages) {
    let tokens = counted.get(message);
    if (tokens === undefined) counted.set(message, tokens = countMessage(message));
    sum += tokens;
  }
  return sum;
}

const counted = new WeakMap<Message, number>();

function countMessage(message: Message): number {
  const bare = withoutMedia([message]);
  let sum = MESSAGE + bare.tokens;
  for (const block of bare.messages[0]?.content ?? []) {
    switch (block.type) {
      case "text":
      case "thinking":
        sum += textTokens(block.text);
        break;
      case "tool_result":
        sum += MESSAGE + textTokens(block.content);
        break;
      case "tool_use":
        sum += MESSAGE + textTokens(block.name) + textTokens(JSON.stringify(block.input));
        break;
      case "redacted_thinking":
        sum += textTokens(block.data);
        break;
    }
  }
  return sum;
}

/** The same of tools as a request offers them. */
export function toolTokens(tools: readonly ToolSchema[]): number {
  let sum = 0;
  for (const { name, description, input_schema } of tools) {
    sum += MESSAGE + textTokens(name) + textTokens(description) + textTokens(JSON.stringify(input_schema));
  }
  return sum;
}

/** The same of a whole request, without anything that a provider has counted. */
export function estimateTokens({ system, messages, tools }: ModelRequest): number {
  return textTokens(system) + toolTokens(tools) + messageTokens(messages);
}

/** How many tokens the next request of a conversation has. */
export interface ContextTokens {
  tokens: number;
  /** True where most of it was counted by the provider. */
  counted: boolean;
}

/**
 * How many tokens the next request of a conversation has, system prompt and tools included: what the provider counted
 * for its last answer, and an estimate of what came since; without such a count, an estimate of all.
 */
export function contextTokens(state: Readonly<SessionState>, tools: readonly ToolSchema[]): ContextTokens {
  const all = textTokens(state.system) + toolTokens(tools) + messageTokens(contextMessages(state));
  const { anchor } = state;
  if (anchor === null) return { tokens: all, counted: false };
  const since = messageTokens(state.messages.slice(anchor.at));
  if (anchor.tokens < (all - since) * TRUSTED) return { tokens: all, counted: false };
  return { tokens: anchor.tokens + since, counted: true };
}
