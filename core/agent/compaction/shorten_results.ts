import type { SessionState } from "../../session/mod.ts";
import { contextMessages } from "../../session/mod.ts";
import type { Message, ToolUseBlock } from "../../types/mod.ts";
import { messageTokens, textTokens } from "../context/token_count.ts";
import { snipNoise } from "./snip_noise.ts";

/** A shorter result is not worth a marker. */
const WORTH = 400;
/** Characters that leaving noise out must save. */
const NOISE_WORTH = 200;
const CLEARED = "[Cleared to save room:";

export interface ShorterResult {
  call_id: string;
  content: string;
}

/** Says of an old result how it can be read again. */
export type ReadAgain = (call: ToolUseBlock, content: string) => Promise<string>;

/**
 * What can be shortened without a model: noise in every result, and the whole of old ones, which leave a marker that says
 * how to read them again. The results of the last `newest` tokens keep their text. Nothing is shortened twice.
 */
export async function shortenResults(
  state: Readonly<Pick<SessionState, "messages" | "origins" | "compactions" | "thought">>,
  newest: number,
  again: ReadAgain,
): Promise<ShorterResult[]> {
  const shown = contextMessages(state);
  const calls = callsOf(shown);
  const shorter: ShorterResult[] = [];
  const last = shown.length - 1;
  let tokens = 0;
  for (let index = last; index >= 0; index--) {
    const message = shown[index];
    if (message === undefined) continue;
    tokens += messageTokens([message]);
    const old = tokens > newest && index < last;
    for (const block of message.content) {
      if (block.type !== "tool_result" || block.content.startsWith(CLEARED)) continue;
      const { call_id, content } = block;
      const call = calls.get(call_id);
      // a picture is large whatever its words are
      if (old && call !== undefined && (content.length > WORTH || block.media !== undefined)) {
        shorter.push({ call_id, content: await marker(call, content, again) });
        continue;
      }
      if (block.media !== undefined) continue; // a shorter text would take them away
      const snipped = snipNoise(content);
      if (snipped.length + NOISE_WORTH <= content.length) shorter.push({ call_id, content: snipped });
    }
  }
  return shorter;
}

/** Tokens that these shorter results save. */
export function savedTokens(
  state: Readonly<Pick<SessionState, "messages" | "origins" | "compactions" | "thought">>,
  shorter: readonly ShorterResult[],
): number {
  const by_call = new Map(shorter.map(({ call_id, content }) => [call_id, content]));
  let saved = 0;
  for (const { content } of contextMessages(state)) {
    for (const block of content) {
      if (block.type !== "tool_result") continue;
      const text = by_call.get(block.call_id);
      if (text === undefined) continue;
      const media = messageTokens([{ role: "user", content: [block] }]) - textTokens(block.content);
      saved += textTokens(block.content) - textTokens(text) + (block.media === undefined ? 0 : media);
    }
  }
  return saved;
}

/**
 * Results of the messages from `from` on, cut so that these messages take about `budget` tokens: each keeps its beginning
 * and its end.
 */
export function cutResults(
  messages: readonly Message[],
  budget: number,
): ShorterResult[] {
  const results = messages.flatMap(({ content }) => content.filter((block) => block.type === "tool_result"));
  const all = messageTokens(messages);
  if (all <= budget || results.length === 0) return [];
  const sizes = results.map(({ content }) => textTokens(content));
  const rest = all - sizes.reduce((sum, size) => sum + size, 0);
  const share = Math.max(50, Math.floor((budget - rest) / results.length));
  return results.flatMap(({ call_id, content }, index) => {
    const size = sizes[index] ?? 0;
    if (size <= share) return [];
    const room = Math.floor(content.length * share / size);
    const note =
      `\n[… cut from ${content.length} characters to save room; make the call for less at a time …]\n`;
    const head = content.slice(0, Math.floor(room * 0.7));
    const tail = content.slice(content.length - Math.floor(room * 0.3));
    return [{ call_id, content: `${head}${note}${tail}`.toWellFormed() }];
  });
}

async function marker(call: ToolUseBlock, content: string, again: ReadAgain): Promise<string> {
  return `${CLEARED} ${content.length} characters that ${call.name} gave. ${await again(call, content)}]`;
}

function callsOf(messages: readonly Message[]): Map<string, ToolUseBlock> {
  const calls = new Map<string, ToolUseBlock>();
  for (const { content } of messages) {
    for (const block of content) if (block.type === "tool_use") calls.set(block.call_id, block);
  }
  return calls;
}
