import { isMedia, mediaTokens } from "./media.ts";
import type { MediaBlock } from "./media.ts";
import type { Message } from "./message.ts";

/** Messages without their media, and what those cost: base64 is no text that a model counts. */
export function withoutMedia(messages: readonly Message[]): { messages: readonly Message[]; tokens: number } {
  let tokens = 0;
  const take = (media: readonly MediaBlock[]) => {
    for (const block of media) tokens += mediaTokens(block);
  };
  const left = messages.map((message): Message => {
    if (message.role === "assistant") return message;
    const { content } = message;
    if (!content.some((block) => isMedia(block) || (block.type === "tool_result" && block.media))) {
      return message;
    }
    return {
      role: "user",
      content: content.flatMap((block) => {
        if (isMedia(block)) {
          take([block]);
          return [];
        }
        if (block.type !== "tool_result" || block.media === undefined) return [block];
        const { media, ...rest } = block;
        take(media);
        return [rest];
      }),
    };
  });
  return tokens === 0 ? { messages, tokens } : { messages: left, tokens };
}
