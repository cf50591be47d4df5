import { replacedView, type TextView } from "./text_view.ts";

/** CRLF and lone CR shown as LF, the way every reader counts lines here. */
export function lineView(base: TextView): TextView {
  return base.text.includes("\r") ? replacedView(base, /\r\n?/g, () => "\n") : base;
}

/** The same as a plain text. */
export function withLf(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** The line ends of `text` in order: `\n`, `\r\n` or `\r`. */
export function lineEnds(text: string): string[] {
  return text.match(/\r\n?|\n/g) ?? [];
}

/** The line end nearest to the span: the first one after it, else the last one before it, else `\n`. */
export function lineEndAround(text: string, start: number, end: number): string {
  const after = /\r\n?|\n/g;
  after.lastIndex = end;
  const next = after.exec(text);
  if (next !== null) return next[0];
  const last = Math.max(text.lastIndexOf("\n", start - 1), text.lastIndexOf("\r", start - 1));
  if (start === 0 || last < 0) return "\n";
  if (text[last] === "\r") return "\r";
  return text[last - 1] === "\r" ? "\r\n" : "\n";
}
