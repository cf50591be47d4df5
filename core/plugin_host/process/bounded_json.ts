/** Lists and objects in one another; what a stack could not take is far beyond. */
const MAX_DEPTH = 64;
/** Values in one message: each costs memory many times its bytes. */
const MAX_VALUES = 200_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Parses JSON that a stranger wrote: its depth and number of values are bounded before anything of it is made. Throws an
 * error that says what is wrong.
 */
export function parseBoundedJson(bytes: Uint8Array): unknown {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = textEnd(bytes, at + 1);
        break;
      case 0x5b: // [
      case 0x7b: // {
        values++;
        if (++depth > MAX_DEPTH) throw new Error(`lists and objects more than ${MAX_DEPTH} deep`);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case COMMA:
        values++;
        break;
    }
    if (values > MAX_VALUES) throw new Error(`more than ${MAX_VALUES} values in one message`);
  }
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error("a message that is not UTF-8"); // the decoder's own words say no more
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("a message that is not JSON"); // the parser's words quote what a stranger wrote
  }
}

/** Where the text that begins at `from` has its closing quote; the end of the bytes when it has none. */
function textEnd(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(QUOTE, from); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (at - backslashes > from && bytes[at - backslashes - 1] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return at;
  }
  return bytes.length;
}
