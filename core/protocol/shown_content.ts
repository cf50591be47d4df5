import type { Json, JsonObject, MediaBlock } from "../types/mod.ts";

/** A message's or result's content as the public wire has it: a text, or a list of blocks where it shows more than text. */
export function shownContent(text: string, media: readonly MediaBlock[] | undefined): Json {
  if (media === undefined) return text;
  const blocks: JsonObject[] = media.map(({ type, media_type, data }) => ({
    type,
    source: { type: "base64", media_type, data },
  }));
  return text === "" ? blocks : [{ type: "text", text }, ...blocks];
}
