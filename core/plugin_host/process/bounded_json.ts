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
  let in_text = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (in_text) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) in_text = false;
      continue;
    }
    if (byte === QUOTE) in_text = true;
    else if (byte === 0x5b || byte === 0x7b) {
      values++;
      if (++depth > MAX_DEPTH) throw new Error(`lists and objects more than ${MAX_DEPTH} deep`);
    } else if (byte === 0x5d || byte === 0x7d) depth--;
    else if (byte === COMMA) values++;
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
