/** Bytes at the beginning in which a page says its charset (https://html.spec.whatwg.org, "prescan"). */
const PRESCAN = 2_048;

/**
 * The text of a body: by its byte order mark, by the charset that the header or the page itself names, else as UTF-8; what is
 * no UTF-8 and names nothing is read as GB 18030, and where it is none either as Windows-1252.
 */
export function decodeText(bytes: Uint8Array, content_type: string): string {
  const named = bom(bytes) ?? fromHeader(content_type) ?? fromPage(bytes);
  if (named !== undefined) {
    try {
      return new TextDecoder(named).decode(bytes);
    } catch {
      // a name that no decoder has: as if it had not been given
    }
  }
  for (const charset of ["utf-8", "gb18030"]) {
    try {
      return new TextDecoder(charset, { fatal: true }).decode(bytes);
    } catch {
      // it is no such text
    }
  }
  return new TextDecoder("windows-1252").decode(bytes);
}

/** True for bytes that are no text in any charset that is in use: a NUL outside of UTF-16, or many control characters. */
export function looksBinary(bytes: Uint8Array): boolean {
  if (bom(bytes) !== undefined) return false;
  const head = bytes.subarray(0, 4_096);
  let controls = 0;
  for (const byte of head) {
    if (byte === 0) return true;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) controls++;
  }
  return controls > head.length / 20;
}

function bom(bytes: Uint8Array): string | undefined {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xff && b === 0xfe) return "utf-16le";
  return a === 0xfe && b === 0xff ? "utf-16be" : undefined;
}

function fromHeader(content_type: string): string | undefined {
  return /charset\s*=\s*["']?([^\s"';]+)/i.exec(content_type)?.[1];
}

function fromPage(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, PRESCAN));
  return /<meta[^>]+charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(head)?.[1] ??
    /^\s*<\?xml[^>]+encoding\s*=\s*["']([^"']+)/i.exec(head)?.[1];
}
