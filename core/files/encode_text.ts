import type { TextEncoding } from "./text_format.ts";

// In Unicode mode a surrogate that is half of a pair does not match.
const KEPT_BYTE = /([\udc80-\udcff])/u;

/** The bytes of `text`, without a byte order mark; the exact inverse of `decodeText`. */
export function encodeText(text: string, encoding: TextEncoding): Uint8Array<ArrayBuffer> {
  if (encoding !== "utf-8") return encodeUtf16(text, encoding === "utf-16le");
  const encoder = new TextEncoder();
  if (text.isWellFormed()) return encoder.encode(text);
  const parts = text.split(KEPT_BYTE).map((part, index) =>
    index % 2 === 1 ? Uint8Array.of(part.charCodeAt(0) & 0xff) : encoder.encode(part)
  );
  return joinBytes(parts);
}

/** Bytes that `encodeText` gives for `text` from `start` to `end`, without making them. */
export function encodedLength(text: string, encoding: TextEncoding, start = 0, end = text.length): number {
  if (encoding !== "utf-8") return 2 * (end - start);
  let bytes = 0;
  for (let index = start; index < end; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes++;
    else if (unit < 0x800) bytes += 2;
    else if (unit < 0xd800 || unit > 0xdfff) bytes += 3;
    else if (unit < 0xdc00 && index + 1 < end && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00) {
      bytes += 4;
      index++;
    } else bytes += unit >= 0xdc80 && unit <= 0xdcff ? 1 : 3;
  }
  return bytes;
}

/** All parts one after the other. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

function encodeUtf16(text: string, little: boolean): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(2 * text.length);
  const view = new DataView(bytes.buffer);
  for (let index = 0; index < text.length; index++) view.setUint16(2 * index, text.charCodeAt(index), little);
  return bytes;
}
