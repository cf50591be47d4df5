/** How the bytes of a file become text. */
export interface TextEncodingOf {
  /** Bytes of the byte-order mark. */
  bom: number;
  /** Bytes of one code unit. */
  unit: 1 | 2;
  decode(bytes: Uint8Array): string;
  byteLength(text: string): number;
  /** The index behind the last line feed of the first `length` bytes; 0 when there is none. */
  afterLastLineFeed(bytes: Uint8Array, length: number): number;
  /** The index behind the first line feed at or after `from`; 0 when there is none before `length`. */
  afterLineFeed(bytes: Uint8Array, from: number, length: number): number;
  /** The first index at or after `at` where a character starts. */
  characterStart(bytes: Uint8Array, at: number): number;
}

const LF = 10;
const encoder = new TextEncoder();

const utf8Decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** UTF-8; a byte that is none becomes U+FFFD. */
export const UTF8: TextEncodingOf = {
  bom: 0,
  unit: 1,
  decode: (bytes) => utf8Decoder.decode(bytes),
  byteLength: (text) => encoder.encode(text).length,
  afterLastLineFeed: (bytes, length) => length === 0 ? 0 : bytes.lastIndexOf(LF, length - 1) + 1,
  afterLineFeed(bytes, from, length) {
    const at = bytes.indexOf(LF, from);
    return at >= 0 && at < length ? at + 1 : 0;
  },
  characterStart(bytes, at) {
    let index = at;
    while (index < at + 3 && ((bytes[index] ?? 0) & 0xc0) === 0x80) index++;
    return index;
  },
};

const UTF8_WITH_BOM: TextEncodingOf = { ...UTF8, bom: 3 };
const UTF16_LE = utf16("utf-16le", 0);
const UTF16_BE = utf16("utf-16be", 1);

function utf16(label: "utf-16le" | "utf-16be", lowByte: 0 | 1): TextEncodingOf {
  const decoder = new TextDecoder(label, { ignoreBOM: true });
  const isLineFeed = (bytes: Uint8Array, at: number) =>
    bytes[at + lowByte] === LF && bytes[at + 1 - lowByte] === 0;
  return {
    bom: 2,
    unit: 2,
    decode: (bytes) => decoder.decode(bytes),
    byteLength: (text) => text.length * 2,
    afterLastLineFeed(bytes, length) {
      for (let at = length - length % 2 - 2; at >= 0; at -= 2) if (isLineFeed(bytes, at)) return at + 2;
      return 0;
    },
    afterLineFeed(bytes, from, length) {
      for (let at = from; at + 1 < length; at += 2) if (isLineFeed(bytes, at)) return at + 2;
      return 0;
    },
    characterStart: (_bytes, at) => at + at % 2,
  };
}

/** The encoding that the byte-order mark at the start of a file names; UTF-8 when it has none. */
export function encodingOf(bytes: Uint8Array, length: number): TextEncodingOf {
  if (length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return UTF8_WITH_BOM;
  if (length >= 2 && bytes[0] === 0xff && bytes[1] === 0xfe) return UTF16_LE;
  if (length >= 2 && bytes[0] === 0xfe && bytes[1] === 0xff) return UTF16_BE;
  return UTF8;
}
