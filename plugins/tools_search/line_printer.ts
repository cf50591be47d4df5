import { clipLine } from "./clip_line.ts";
import type { ShownLine } from "./clip_line.ts";
import type { TextEncodingOf } from "./text_encoding.ts";

/** Takes the lines of one file in order; false = enough, stop reading. */
export interface LineSink {
  match(line: number, shown: ShownLine): boolean;
  context(line: number, shown: ShownLine): boolean;
  /** Between two groups of lines that do not touch. */
  gap(): boolean;
}

interface KeptLine {
  number: number;
  shown: ShownLine;
}

/**
 * Numbers the lines of one file and hands the matching ones with their context to the sink. Segments of whole lines
 * come in order; between them only the last lines that may become context are kept.
 */
export class LinePrinter {
  readonly #sink: LineSink;
  readonly #before: number;
  readonly #after: number;
  #text = "";
  #encoding: TextEncodingOf;
  /** Where the first line that is not yet numbered starts, and its number. */
  #at = 0;
  #number = 1;
  #kept: KeptLine[] = [];
  #afterLeft = 0;
  #lastShown = 0;

  constructor(sink: LineSink, before: number, after: number, encoding: TextEncodingOf) {
    this.#sink = sink;
    this.#before = before;
    this.#after = after;
    this.#encoding = encoding;
  }

  /** The next whole lines of the file. */
  segment(text: string): void {
    this.#text = text;
    this.#at = 0;
  }

  /** The line `start…end` of the segment matches. */
  match(start: number, end: number, matchAt: number, matchLength: number): boolean {
    if (start < this.#at) return true; // a match over several lines may share its first line with the one before
    if (!this.#pass(start)) return false;
    const shown = this.#clip(start, end, matchAt, matchLength);
    this.#at = end + 1;
    return this.#show(shown);
  }

  /** A line that was too long to be held in one piece; `shown` when it matches. */
  longLine(shown: ShownLine | undefined, start: ShownLine): boolean {
    if (shown !== undefined) return this.#show(shown);
    return this.#skip(start);
  }

  /** The segment holds no further match. */
  endSegment(): boolean {
    return this.#pass(this.#text.length);
  }

  #show(shown: ShownLine): boolean {
    const first = this.#kept[0]?.number ?? this.#number;
    if (this.#before + this.#after > 0 && this.#lastShown > 0 && first > this.#lastShown + 1) {
      if (!this.#sink.gap()) return false;
    }
    for (const line of this.#kept) if (!this.#sink.context(line.number, line.shown)) return false;
    this.#kept = [];
    this.#lastShown = this.#number;
    this.#afterLeft = this.#after;
    return this.#sink.match(this.#number++, shown);
  }

  /** Goes over a line without a match: context after the last one, or kept as context of the next. */
  #skip(shown: ShownLine): boolean {
    const number = this.#number++;
    if (this.#afterLeft > 0) {
      this.#afterLeft--;
      this.#lastShown = number;
      return this.#sink.context(number, shown);
    }
    if (this.#before > 0) {
      this.#kept.push({ number, shown });
      if (this.#kept.length > this.#before) this.#kept.shift();
    }
    return true;
  }

  /** Goes over the lines up to `end`, looking only at those that can become context. */
  #pass(end: number): boolean {
    while (this.#at < end && this.#afterLeft > 0) if (!this.#skipAt(end)) return false;
    if (this.#before === 0) {
      this.#countTo(end);
      return true;
    }
    let from = end; // start of the last `before` lines
    for (let lines = 0; lines < this.#before && from > this.#at; lines++) {
      from = from < 2 ? 0 : this.#text.lastIndexOf("\n", from - 2) + 1;
    }
    this.#countTo(Math.max(from, this.#at));
    while (this.#at < end) if (!this.#skipAt(end)) return false;
    return true;
  }

  #skipAt(end: number): boolean {
    const lineFeed = this.#text.indexOf("\n", this.#at);
    const lineEnd = lineFeed < 0 ? end : lineFeed;
    const shown = this.#clip(this.#at, lineEnd, 0, 0);
    this.#at = lineEnd + 1;
    return this.#skip(shown);
  }

  #countTo(end: number): void {
    while (this.#at < end) {
      const lineFeed = this.#text.indexOf("\n", this.#at);
      this.#number++;
      this.#at = lineFeed < 0 ? end : lineFeed + 1;
    }
  }

  #clip(start: number, end: number, matchAt: number, matchLength: number): ShownLine {
    const text = this.#text.slice(start, end);
    return clipLine(
      {
        text: text.endsWith("\r") ? text.slice(0, -1) : text,
        bytes_before: 0,
        bytes_after: 0,
        byteLength: this.#encoding.byteLength,
      },
      matchAt,
      matchLength,
    );
  }
}
