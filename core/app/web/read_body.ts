import { LuminaError } from "../../base/mod.ts";
import type { FetchedBytes } from "../net/guarded_fetch.ts";
import { decodeText, looksBinary } from "./decode_text.ts";
import type { PageReader } from "./read_page.ts";

/** A body as text. */
export interface ReadPage {
  text: string;
  content_type: string;
  bytes: number;
  title?: string;
  excerpt?: string;
  byline?: string;
  site_name?: string;
  published_at?: string;
}

const TEXT =
  /^(?:text\/.+|application\/(?:(?:.+\+)?(?:json|xml)|json.*|ndjson|xml|javascript|ecmascript|x-javascript|typescript|yaml|x-yaml|toml|x-sh|x-httpd-php|sql|rtf|graphql|x-www-form-urlencoded)|message\/.+|image\/svg\+xml)$/;
/** Says nothing of what a body is. */
const UNKNOWN = /^(?:|application\/octet-stream|binary\/octet-stream|application\/x-unknown)$/;

/**
 * The text of an answer: HTML as Markdown, what is text as it is. Throws `web.binary` for anything else, by its type or by
 * its bytes.
 */
export async function readBody(
  { body, headers }: FetchedBytes,
  url: URL,
  reader: PageReader,
  signal: AbortSignal,
): Promise<ReadPage> {
  const header = headers.get("content-type") ?? "";
  const type = (header.split(";")[0] ?? "").trim().toLowerCase();
  const facts = { content_type: type, bytes: body.length };
  if (type === "application/pdf" || startsWith(body, "%PDF-")) {
    return { ...await reader.pdf(body, signal), ...facts, content_type: "application/pdf" };
  }
  const readable = TEXT.test(type) || UNKNOWN.test(type);
  if (!readable || (body.length > 0 && looksBinary(body))) {
    throw new LuminaError(
      "web.binary",
      `it is no text (${type === "" ? "no type given" : type}, ${body.length} bytes)`,
    );
  }
  const text = decodeText(body, header);
  const html = /^(?:text\/html|application\/xhtml\+xml)$/.test(type) ||
    (UNKNOWN.test(type) && /^\s*(?:<!doctype html|<html[\s>])/i.test(text));
  if (!html) return { text, ...facts };
  return { ...await reader.page(text, url.href, signal), ...facts };
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return [...text].every((char, index) => bytes[index] === char.charCodeAt(0));
}
