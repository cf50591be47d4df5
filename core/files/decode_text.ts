import type { TextEncoding } from "./text_format.ts";

/**
 * Decodes without loss. A byte that is not part of valid UTF-8 becomes the lone surrogate U+DC00 + byte (as in
 * PEP 383), which valid UTF-8 cannot yield, so `encodeText` gives the same bytes back. UTF-16 units are kept one by
 * one; a trailing odd byte is not part of the text. A byte order mark is not removed: pass what follows it.
 */
export function decodeText(bytes: Uint8Array, encoding: TextEncoding): string {
  if (encoding !== "utf-8") return decodeUtf16(bytes, encoding === "utf-16le");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return decodeBrokenUtf8(bytes); // the decoder only says that some byte is invalid
  }
}

function decodeUtf16(bytes: Uint8Array, little: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const units = new Uint16Array(bytes.length >> 1);
  for (let index = 0; index < units.length; index++) units[index] = view.getUint16(2 * index, little);
  return unitsToString(units);
}

function decodeBrokenUtf8(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length);
  let length = 0;
  for (let index = 0; index < bytes.length;) {
    const size = sequenceLength(bytes, index);
    const lead = bytes[index] ?? 0;
    if (size <= 1) {
      units[length++] = size === 1 ? lead : 0xdc00 | lead;
      index++;
      continue;
    }
    let point = lead & (0x7f >> size);
    for (let next = 1; next < size; next++) point = (point << 6) | ((bytes[index + next] ?? 0) & 0x3f);
    if (point >= 0x10000) {
      units[length++] = 0xd7c0 + (point >> 10);
      units[length++] = 0xdc00 | (point & 0x3ff);
    } else units[length++] = point;
    index += size;
  }
  return unitsToString(units.subarray(0, length));
}

/** Bytes of the valid UTF-8 sequence at `index`, 0 when there is none (Unicode, table 3-7). */
function sequenceLength(bytes: Uint8Array, index: number): number {
  const lead = bytes[index] ?? 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  const second = bytes[index + 1] ?? 0;
  const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let next = 2; next < size; next++) if (((bytes[index + next] ?? 0) & 0xc0) !== 0x80) return 0;
  return size;
}

function unitsToString(units: Uint16Array): string {
  const parts: string[] = [];
  for (let start = 0; start < units.length; start += 8192) {
    parts.push(String.fromCharCode(...units.subarray(start, start + 8192)));
  }
  return parts.join("");
}
