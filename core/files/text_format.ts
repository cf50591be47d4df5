import { binaryKind } from "./binary_kind.ts";

/** How a text file's bytes stand for characters. */
export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be";

/** Encoding of a text file and the bytes of its byte order mark (0 when it has none). */
export interface TextFormat {
  encoding: TextEncoding;
  bom: number;
}

/** So many first bytes are enough for `detectTextFormat`. */
export const TEXT_HEAD_BYTES = 8192;

/**
 * The text format of a file by its first bytes, or a name of its binary kind. A byte order mark decides first; without
 * one, a known binary signature or a NUL byte means binary, except where every NUL is the high half of a plain
 * UTF-16 character. Everything else is UTF-8, valid or not: the codec keeps bytes that are not.
 */
export function detectTextFormat(head: Uint8Array): TextFormat | { binary: string } {
  const sample = head.subarray(0, TEXT_HEAD_BYTES);
  if (sample[0] === 0xef && sample[1] === 0xbb && sample[2] === 0xbf) return { encoding: "utf-8", bom: 3 };
  const kind = binaryKind(sample);
  if (kind !== null) return { binary: kind };
  if (sample[0] === 0xff && sample[1] === 0xfe) return { encoding: "utf-16le", bom: 2 };
  if (sample[0] === 0xfe && sample[1] === 0xff) return { encoding: "utf-16be", bom: 2 };
  if (!sample.includes(0)) return { encoding: "utf-8", bom: 0 };
  const encoding = bareUtf16(sample);
  return encoding === null ? { binary: "binary data" } : { encoding, bom: 0 };
}

/** UTF-16 without a mark: most units are printable ASCII or line ends, and no unit is NUL or a control character. */
function bareUtf16(sample: Uint8Array): TextEncoding | null {
  for (const encoding of ["utf-16le", "utf-16be"] as const) {
    const high = encoding === "utf-16le" ? 1 : 0;
    const units = sample.length >> 1;
    let plain = 0;
    let control = 0;
    for (let unit = 0; unit < units; unit++) {
      if (sample[2 * unit + high] !== 0) continue;
      const low = sample[2 * unit + 1 - high] ?? 0;
      if (low >= 32 || (low >= 9 && low <= 13)) plain++;
      else control++;
    }
    if (units > 0 && control === 0 && plain >= units * 0.6) return encoding;
  }
  return null;
}
