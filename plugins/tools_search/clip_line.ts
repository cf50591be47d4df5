/** Lines up to this many characters are shown whole. */
export const MAX_LINE_CHARS = 500;

/** A piece of a line that is in memory, and how many bytes of the line lie around it. */
export interface LinePiece {
  text: string;
  bytes_before: number;
  bytes_after: number;
  /** Bytes of a piece of text in the file's encoding. */
  byteLength: (text: string) => number;
}

/** A line as it is shown. */
export interface ShownLine {
  text: string;
  clipped: boolean;
}

/**
 * The line, or its neighbourhood of the match with the number of bytes left out on each side:
 * `[1200 bytes] …text… [88 bytes]`. Surrogate pairs stay whole.
 */
export function clipLine(piece: LinePiece, matchAt: number, matchLength: number): ShownLine {
  const { text, bytes_before, bytes_after, byteLength } = piece;
  if (text.length <= MAX_LINE_CHARS && bytes_before === 0 && bytes_after === 0) {
    return { text, clipped: false };
  }
  const shownMatch = Math.min(matchLength, MAX_LINE_CHARS);
  let start = matchAt - Math.floor((MAX_LINE_CHARS - shownMatch) / 2);
  start = Math.max(0, Math.min(start, text.length - MAX_LINE_CHARS));
  let end = Math.min(text.length, start + MAX_LINE_CHARS);
  if (isLowSurrogate(text, start)) start++;
  if (isLowSurrogate(text, end)) end--;
  const before = bytes_before + byteLength(text.slice(0, start));
  const after = bytes_after + byteLength(text.slice(end));
  return {
    text: (before > 0 ? `[${before} bytes] …` : "") + text.slice(start, end) +
      (after > 0 ? `… [${after} bytes]` : ""),
    clipped: true,
  };
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}
