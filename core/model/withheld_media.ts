import { mediaLabel } from "../types/mod.ts";
import type { JsonObject, MediaBlock, MediaSupport } from "../types/mod.ts";

/** True when a model takes the block. */
export function takes(support: MediaSupport, block: MediaBlock): boolean {
  return block.type === "image" ? support.images : support.pdf;
}

/** What stands in the place of a block that the model does not take: what it is, and how to go on. */
export function withheldText(block: MediaBlock): string {
  const label = mediaLabel(block);
  return block.type === "image"
    ? `${label} is not shown: this model takes no images. Work from file names, metadata and text, or ask the person to describe it.`
    : `${label} is not shown: this model takes no PDF. Read gives the text of its pages (pages: "1-5").`;
}

/** A block of Anthropic's Messages API. */
export function anthropicMedia({ type, media_type, data, name }: MediaBlock): JsonObject {
  const source: JsonObject = { type: "base64", media_type, data };
  return type === "document" && name !== undefined ? { type, source, title: name } : { type, source };
}

/** A content part of a chat completions request. */
export function openaiMedia(block: MediaBlock): JsonObject {
  const url = `data:${block.media_type};base64,${block.data}`;
  return block.type === "image"
    ? { type: "image_url", image_url: { url } }
    : { type: "file", file: { filename: block.name ?? "document.pdf", file_data: url } };
}
