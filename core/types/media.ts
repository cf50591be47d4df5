/** Media types of images that both wires take. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"] as const;
export type ImageType = (typeof IMAGE_TYPES)[number];

/** A picture that a person or a tool shows the model. */
export interface ImageBlock {
  type: "image";
  media_type: ImageType;
  /** Base64 without line breaks. */
  data: string;
  /** What it is called, a path as a rule. */
  name?: string;
  /** Pixels, where they are known. */
  width?: number;
  height?: number;
}

/** A document whose pages the model reads as they look. */
export interface DocumentBlock {
  type: "document";
  media_type: "application/pdf";
  /** Base64 without line breaks. */
  data: string;
  name?: string;
  pages?: number;
}

export type MediaBlock = ImageBlock | DocumentBlock;

/** Which media a model takes. */
export interface MediaSupport {
  readonly images: boolean;
  readonly pdf: boolean;
}

/** Tokens of a picture whose size is unknown or large, and of one page of a document: what providers publish, rounded up. */
const MOST_IMAGE_TOKENS = 1600;
const PAGE_TOKENS = 2500;
/** Bytes of a page of a document that does not say how many it has. */
const PAGE_BYTES = 50_000;
const PIXELS_PER_TOKEN = 750;

/** True for a picture or a document. */
export function isMedia<B extends { type: string }>(block: B): block is B & MediaBlock {
  return block.type === "image" || block.type === "document";
}

/** Bytes of a block's file. */
export function mediaBytes({ data }: MediaBlock): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.floor(data.length / 4) * 3 - padding;
}

/** A block in words, for whoever cannot be shown it: `[image plan.png, image/png, 12 kB]`. */
export function mediaLabel(block: MediaBlock): string {
  const size = Math.max(1, Math.round(mediaBytes(block) / 1000));
  const name = block.name === undefined ? "" : ` ${block.name}`;
  return `[${block.type}${name}, ${block.media_type}, ${size} kB]`;
}

/** About how many tokens a model counts for a block. */
export function mediaTokens(block: MediaBlock): number {
  if (block.type === "document") {
    return PAGE_TOKENS * (block.pages ?? Math.ceil(mediaBytes(block) / PAGE_BYTES));
  }
  const { width, height } = block;
  if (width === undefined || height === undefined) return MOST_IMAGE_TOKENS;
  return Math.min(MOST_IMAGE_TOKENS, Math.ceil(width * height / PIXELS_PER_TOKEN));
}
