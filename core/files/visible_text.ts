// deno-lint-ignore no-control-regex -- control characters are what it looks for
const HIDDEN = /[\x00\ud800-\udfff]/gu;

/**
 * Text as a model or a terminal may see it: a byte that is not UTF-8 is shown as `\xNN`, NUL as `\x00`, half of a
 * UTF-16 pair as `\uNNNN`. `escaped` says whether anything was.
 */
export function visibleText(text: string): { text: string; escaped: boolean } {
  let escaped = false;
  const shown = text.replace(HIDDEN, (unit) => {
    escaped = true;
    const code = unit.charCodeAt(0);
    return code === 0 || (code >= 0xdc80 && code <= 0xdcff)
      ? `\\x${(code & 0xff).toString(16).toUpperCase().padStart(2, "0")}`
      : `\\u${code.toString(16).toUpperCase()}`;
  });
  return { text: shown, escaped };
}

/** A path as one line shows it: like `visibleText`, with line breaks and other control characters as escapes too. */
export function shownPath(path: string): string {
  // deno-lint-ignore no-control-regex -- control characters are what it looks for
  return visibleText(path).text.replace(/[\x00-\x1f\x7f]/g, (unit) => {
    const named: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
    return named[unit] ?? `\\x${unit.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
  });
}

/** Turns `\xNN` (80 to FF, and 00) back into what `decodeText` yields for that byte. */
export function hiddenText(text: string): string {
  return text.replace(/\\x([89a-fA-F][0-9a-fA-F]|00)/g, (_, hex: string) => {
    const byte = Number.parseInt(hex, 16);
    return String.fromCharCode(byte === 0 ? 0 : 0xdc00 | byte);
  });
}
