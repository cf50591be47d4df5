import { cleanTerminal } from "./clean_terminal.ts";
import { decodeOutput } from "./decode_output.ts";

/** Raw output: whole in `head`, or its first and last bytes with `left_out` bytes between. */
export interface RawOutput {
  head: Uint8Array;
  left_out: number;
  tail?: Uint8Array;
}

/** Output as the model reads it. */
export interface RenderedOutput {
  text: string;
  /** True when something was left out of `text`. */
  cut: boolean;
  /** Encodings other than UTF-8 that were met, e.g. `utf-16le`, `gb18030`, `escaped`. */
  encodings: string[];
}

/** How many bytes of each end are read for {@link renderOutput}. */
export const WINDOW_BYTES = 256 * 1024;

/**
 * Decodes and cleans raw output and keeps at most `limit` characters: all, or the first and the last half with a line
 * between that says how much is missing. Cuts at line ends where one is near.
 */
export function renderOutput(
  raw: RawOutput,
  env: Readonly<Record<string, string>>,
  limit: number,
): RenderedOutput {
  if (!raw.tail) {
    const whole = render(raw.head, env);
    const encodings = named([whole.encoding]);
    if (whole.text.length <= limit) return { text: whole.text, cut: false, encodings };
    const head = headOf(whole.text, limit / 2);
    const tail = tailOf(whole.text, limit / 2);
    const missing = whole.text.length - head.length - tail.length;
    return { text: joined(head, `${missing} characters left out`, tail), cut: true, encodings };
  }
  const first = render(upToLineEnd(raw.head), env);
  const last = render(fromLineStart(raw.tail), env);
  const head = headOf(first.text, limit / 2);
  const tail = tailOf(last.text, limit / 2);
  const text = joined(head, `more than ${raw.left_out} bytes left out`, tail);
  return { text, cut: true, encodings: named([first.encoding, last.encoding]) };
}

function render(
  bytes: Uint8Array,
  env: Readonly<Record<string, string>>,
): { text: string; encoding: string } {
  const { text, encoding } = decodeOutput(bytes, env);
  return { text: cleanTerminal(text), encoding };
}

function named(encodings: string[]): string[] {
  return [...new Set(encodings)].filter((encoding) => encoding !== "utf-8");
}

function joined(head: string, note: string, tail: string): string {
  return `${head.replace(/\n$/, "")}\n[… ${note} …]\n${tail}`;
}

const NEAR = 400;

function headOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const line = text.lastIndexOf("\n", limit - 1);
  if (line >= limit - NEAR) return text.slice(0, line + 1);
  const end = Math.floor(limit);
  return text.slice(0, isLowSurrogate(text, end) ? end - 1 : end);
}

function tailOf(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const start = Math.ceil(text.length - limit);
  const line = text.indexOf("\n", start - 1);
  if (line >= 0 && line < start + NEAR) return text.slice(line + 1);
  return text.slice(isLowSurrogate(text, start) ? start + 1 : start);
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Without a last line that the window cut, so that no character is halved; unchanged when there is one line only. */
function upToLineEnd(bytes: Uint8Array): Uint8Array {
  const end = bytes.lastIndexOf(0x0a);
  return end < 0 ? withoutPartialChar(bytes) : bytes.subarray(0, afterLineEnd(bytes, end));
}

function fromLineStart(bytes: Uint8Array): Uint8Array {
  const newline = bytes.indexOf(0x0a);
  if (newline >= 0 && newline < bytes.length - 2) return bytes.subarray(afterLineEnd(bytes, newline));
  let start = 0;
  while (start < 3 && (bytes[start]! & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}

/** Where the next line starts; a newline in UTF-16LE is followed by a NUL of its own. */
function afterLineEnd(bytes: Uint8Array, newline: number): number {
  return newline + (bytes[newline + 1] === 0 ? 2 : 1);
}

/** Without a UTF-8 character at the end whose last bytes are missing. */
export function withoutPartialChar(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}
