import { isMedia, mediaLabel } from "../types/mod.ts";
import type { MediaBlock, Message, UserBlock } from "../types/mod.ts";

/** Providers take so many images at their full size in one request. */
const MOST_MEDIA = 20;
/** When there are more, so many of the oldest go at once: the beginning of requests changes rarely, and caches keep hitting. */
const GO_AT_ONCE = 10;
/** Base64 characters of all media of a request; providers take 32 MB in all. */
const MOST_CHARS = 24_000_000;

/**
 * The messages with no more media than a request may carry: the oldest give way to words. The same messages are given back
 * where nothing has to go.
 */
export function recentMedia(messages: readonly Message[]): readonly Message[] {
  const all = messages.flatMap(({ content }) => content.flatMap((block) => mediaOf(block as UserBlock)));
  let gone = all.length <= MOST_MEDIA ? 0 : Math.ceil((all.length - MOST_MEDIA) / GO_AT_ONCE) * GO_AT_ONCE;
  let chars = all.slice(gone).reduce((sum, { data }) => sum + data.length, 0);
  for (; gone < all.length - 1 && chars > MOST_CHARS; gone++) chars -= all[gone]!.data.length;
  if (gone === 0) return messages;
  const old = new Set(all.slice(0, gone));
  return messages.map((message): Message => {
    if (message.role !== "user") return message;
    if (!message.content.some((block) => mediaOf(block).some((one) => old.has(one)))) return message;
    return { role: "user", content: message.content.map((block) => without(block, old)) };
  });
}

function mediaOf(block: UserBlock): readonly MediaBlock[] {
  if (isMedia(block)) return [block];
  return block.type === "tool_result" ? block.media ?? [] : [];
}

function without(block: UserBlock, old: ReadonlySet<MediaBlock>): UserBlock {
  if (isMedia(block)) return old.has(block) ? { type: "text", text: goneText(block) } : block;
  if (block.type !== "tool_result" || block.media === undefined) return block;
  const { media, ...rest } = block;
  const left = media.filter((one) => !old.has(one));
  const words = media.filter((one) => old.has(one)).map(goneText);
  const content = [block.content, ...words].filter((text) => text !== "").join("\n");
  return { ...rest, content, ...(left.length === 0 ? {} : { media: left }) };
}

function goneText(block: MediaBlock): string {
  return `${mediaLabel(block)} was shown here and is shown no more: read it again when you need it`;
}
