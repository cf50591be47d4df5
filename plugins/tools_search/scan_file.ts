import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from "node:fs";
import { clipLine } from "./clip_line.ts";
import type { ShownLine } from "./clip_line.ts";
import type { SearchPattern } from "./compile_pattern.ts";
import { findAcrossLines, findLines } from "./find_lines.ts";
import { LinePrinter } from "./line_printer.ts";
import type { LineSink } from "./line_printer.ts";
import { encodingOf } from "./text_encoding.ts";
import type { TextEncodingOf } from "./text_encoding.ts";

/** What became of one file. */
export type FileVerdict = "searched" | "matched" | "binary" | "unreadable" | "moved" | "too_large";

export interface ScanOptions {
  pattern: SearchPattern;
  /** Stop at the first match: only whether there is one matters. */
  first_only: boolean;
  before: number;
  after: number;
  /** Awaited between pieces of a large file, with the bytes read so far over all files; throws to stop. */
  pause: (bytes: number) => Promise<void>;
}

/** Bytes held of a file at a time. A longer line is searched in windows of this size. */
const BUFFER = 256 * 1024;
/** Windows of a long line share this much, so a match up to this long is found wherever it lies. */
const OVERLAP = 8 * 1024;
/** A NUL this far in makes a file binary. */
const BINARY_PROBE = 8 * 1024;
/** Largest file that a pattern over several lines is tried on, as it must be held whole. */
export const MAX_MULTILINE_BYTES = 16 * 1024 * 1024;

const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Searches files one after the other with one buffer: a line of any length costs the same memory. Matches go to the
 * sink only from a file that is what its resolved path names at that moment (no link was swapped in).
 */
export class FileScanner {
  readonly #options: ScanOptions;
  readonly #buffer = new Uint8Array(BUFFER);
  /** Bytes read so far, over all files. */
  bytes = 0;

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  /** Searches the file at `real`, which the caller has judged. Tells the sink of its lines in order. */
  async scan(real: string, sink: LineSink): Promise<FileVerdict> {
    let file: number;
    try {
      file = openSync(real, OPEN_FLAGS);
    } catch {
      return "unreadable"; // gone, closed to us, or a link by now: counted and told by the caller
    }
    try {
      return await this.#scanOpen(file, real, sink);
    } catch (error) {
      if (error instanceof Error && "code" in error && "syscall" in error) return "unreadable"; // EIO, EISDIR
      throw error;
    } finally {
      closeSync(file);
    }
  }

  async #scanOpen(file: number, real: string, sink: LineSink): Promise<FileVerdict> {
    const { pattern, before, after } = this.#options;
    const filled = this.#fill(file, 0);
    const head = this.#buffer;
    const encoding = encodingOf(head, filled);
    const isBinary = () => encoding.unit === 1 && hasNul(head, filled);
    // Asked only when a line matches, while the head is still in the buffer; but without plain text to look for, a
    // pattern may take long over the lines of a binary file.
    const early = pattern.literal === undefined || filled === BUFFER ? isBinary() : undefined;
    if (early && pattern.literal === undefined) return "binary";
    if (pattern.multiline) return this.#scanWhole(file, real, sink, encoding, filled, early ?? isBinary());

    let verdict: FileVerdict = "searched";
    const accept = () => {
      if (verdict === "searched") {
        verdict = (early ?? isBinary()) ? "binary" : isStill(file, real) ? "matched" : "moved";
      }
      return verdict === "matched";
    };
    const guarded: LineSink = {
      match: (line, shown) => accept() && sink.match(line, shown),
      context: (line, shown) => accept() && sink.context(line, shown),
      gap: () => sink.gap(),
    };
    const printer = new LinePrinter(guarded, before, after, encoding);
    await this.#scanLines(file, encoding, filled, printer, accept);
    return verdict;
  }

  async #scanLines(
    file: number,
    encoding: TextEncodingOf,
    filledFirst: number,
    printer: LinePrinter,
    accept: () => boolean,
  ): Promise<void> {
    const { pattern, first_only, pause } = this.#options;
    const buffer = this.#buffer;
    let start = encoding.bom;
    let filled = filledFirst;
    while (filled > start) {
      const last = filled < buffer.length;
      const end = last ? filled : encoding.afterLastLineFeed(buffer, filled);
      if (end <= start) { // no line ends in the whole buffer
        const next = await this.#scanLongLine(file, encoding, start, printer, accept);
        if (next === undefined) return;
        [start, filled] = next;
        continue;
      }
      const text = encoding.decode(buffer.subarray(start, end));
      printer.segment(text);
      const goOn = first_only
        ? findLines(text, pattern, () => (accept(), false))
        : findLines(text, pattern, (from, to, at, length) => printer.match(from, to, at, length));
      if (!goOn || last) {
        if (goOn && !first_only) printer.endSegment();
        return;
      }
      if (!first_only && !printer.endSegment()) return;
      await pause(this.bytes);
      buffer.copyWithin(0, end, filled);
      filled = this.#fill(file, filled - end);
      start = 0;
    }
  }

  /**
   * Searches a line that does not fit the buffer, which is full of it from `start` on. Returns where the next line
   * starts and how far the buffer is filled, undefined when the file need not be read further.
   */
  async #scanLongLine(
    file: number,
    encoding: TextEncodingOf,
    start: number,
    printer: LinePrinter,
    accept: () => boolean,
  ): Promise<[number, number] | undefined> {
    const { pattern: { line }, first_only, pause } = this.#options;
    const buffer = this.#buffer;
    const { byteLength } = encoding;
    let filled = buffer.length;
    let from = start; // where the window starts in the buffer
    let passed = 0; // bytes of the line in front of the window
    let found: { text: string; at: number; length: number; before: number; passed: number } | undefined;
    let head = "";
    for (let first = true;; first = false) {
      const lineEnd = encoding.afterLineFeed(buffer, from, filled);
      const atEnd = lineEnd > 0 || filled < buffer.length;
      let end = lineEnd > 0 ? lineEnd - encoding.unit : filled;
      if (found === undefined || first) {
        if (atEnd && encoding.unit === 1 && buffer[end - 1] === 13) end--;
        const text = encoding.decode(buffer.subarray(from, end));
        if (first) head = text.slice(0, 1000);
        line.lastIndex = first ? 0 : 1; // one character of the last window lets ^ and \b judge rightly
        const match = line.exec(text);
        // A match that touches the window's end may be longer, or stand on a false end of line: the next decides.
        const open = match !== null && !atEnd && match.index + match[0].length >= text.length - 1;
        if (match !== null && !(open && match[0].length < OVERLAP / 2)) {
          if (!accept()) return undefined;
          if (first_only) return undefined;
          const cut = Math.max(0, match.index - 1000);
          const near = text.slice(cut, match.index + Math.min(match[0].length, 1000) + 1000);
          const lead = passed + byteLength(text.slice(0, cut));
          found = { text: near, at: match.index - cut, length: match[0].length, before: lead, passed: 0 };
        }
      }
      if (atEnd) {
        const total = passed + (lineEnd > 0 ? lineEnd - encoding.unit : filled) - from;
        const piece = (text: string, before: number) => ({
          text,
          bytes_before: before,
          bytes_after: Math.max(0, total - before - byteLength(text)),
          byteLength,
        });
        const shown: ShownLine | undefined = found === undefined
          ? undefined
          : clipLine(piece(found.text, found.before), found.at, found.length);
        if (!printer.longLine(shown, clipLine(piece(head, 0), 0, 0))) return undefined;
        if (lineEnd > 0) return [lineEnd, filled];
        return undefined;
      }
      await pause(this.bytes);
      const keep = found === undefined ? encoding.characterStart(buffer, filled - OVERLAP) : filled;
      passed += keep - from;
      buffer.copyWithin(0, keep, filled);
      filled = this.#fill(file, filled - keep);
      from = 0;
    }
  }

  #scanWhole(
    file: number,
    real: string,
    sink: LineSink,
    encoding: TextEncodingOf,
    filled: number,
    binary: boolean,
  ): FileVerdict {
    const { pattern, first_only, before, after } = this.#options;
    let bytes: Uint8Array = this.#buffer.subarray(0, filled);
    if (filled === BUFFER) {
      const whole = readRest(file, bytes);
      if (whole === undefined) return "too_large";
      this.bytes += whole.length - filled;
      bytes = whole;
    }
    const text = encoding.decode(bytes.subarray(encoding.bom));
    if (pattern.literal !== undefined && !pattern.ignore_case && !text.includes(pattern.literal)) {
      return "searched";
    }
    if (binary) return pattern.ignore_case && matchNone(text, pattern) ? "searched" : "binary";
    let verdict: FileVerdict = "searched";
    const accept = () => {
      if (verdict === "searched") verdict = isStill(file, real) ? "matched" : "moved";
      return verdict === "matched";
    };
    const printer = new LinePrinter(sink, before, after, encoding);
    printer.segment(text);
    const goOn = findAcrossLines(
      text,
      pattern,
      (from, to, at, length) => accept() && !first_only && printer.match(from, to, at, length),
    );
    if (goOn && (verdict as FileVerdict) === "matched") printer.endSegment();
    return verdict;
  }

  /** Reads until the buffer is full or the file ends; returns how far the buffer is filled. */
  #fill(file: number, from: number): number {
    let filled = from;
    while (filled < BUFFER) {
      const read = readSync(file, this.#buffer, filled, BUFFER - filled, null);
      if (read === 0) break;
      filled += read;
      this.bytes += read;
    }
    return filled;
  }
}

function matchNone(text: string, pattern: SearchPattern): boolean {
  pattern.line.lastIndex = 0;
  return !pattern.line.test(text);
}

function hasNul(bytes: Uint8Array, length: number): boolean {
  return bytes.subarray(0, Math.min(length, BINARY_PROBE)).includes(0);
}

/** The rest of a file behind `head`; undefined when the whole is larger than a pattern over lines may hold. */
function readRest(file: number, head: Uint8Array): Uint8Array | undefined {
  const size = fstatSync(file).size;
  if (size > MAX_MULTILINE_BYTES) return undefined;
  const whole = new Uint8Array(Math.max(size, head.length));
  whole.set(head);
  let filled = head.length;
  while (filled < whole.length) {
    const read = readSync(file, whole, filled, whole.length - filled, null);
    if (read === 0) break;
    filled += read;
  }
  return whole.subarray(0, filled);
}

/** True when the open file is the one its path names, and no link is on the way there. */
function isStill(file: number, real: string): boolean {
  const open = fstatSync(file, { bigint: true });
  const named = lstatSync(real, { bigint: true });
  return open.isFile() && open.ino === named.ino && open.dev === named.dev && realpathSync(real) === real;
}
