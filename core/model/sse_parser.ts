import { ModelError } from "./model_error.ts";

/** One server-sent event. */
export interface SseFrame {
  event: string | null;
  data: string;
}

/** Longest line and largest event, bytes. */
export const SSE_CAP = 16 * 1024 * 1024;

const LF = 10;
const CR = 13;

/**
 * Splits bytes into lines that end with LF, CRLF or a lone CR, for every way the bytes may be cut. A CR at the end of
 * a chunk ends its line at once; an LF that follows it in the next chunk belongs to it. A BOM at the very start is
 * dropped. Throws a `protocol` ModelError when a line is longer than `cap` bytes.
 */
export class LineSplitter {
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #afterCr = false;
  #first = true;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });

  constructor(private readonly cap: number = SSE_CAP) {}

  /** The lines that `chunk` completes. */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let start = 0;
    if (this.#afterCr && chunk.length > 0) {
      if (chunk[0] === LF) start = 1;
      this.#afterCr = false;
    }
    for (let at = start; at < chunk.length; at++) {
      const byte = chunk[at];
      if (byte !== LF && byte !== CR) continue;
      lines.push(this.#take(chunk.subarray(start, at)));
      if (byte === CR) {
        if (at + 1 === chunk.length) this.#afterCr = true;
        else if (chunk[at + 1] === LF) at++;
      }
      start = at + 1;
    }
    if (start < chunk.length) {
      this.#pending.push(chunk.slice(start));
      this.#pendingBytes += chunk.length - start;
      this.#check(this.#pendingBytes);
    }
    return lines;
  }

  /** The last line when it has no line end; undefined when there is none. */
  end(): string | undefined {
    return this.#pendingBytes > 0 ? this.#take(new Uint8Array()) : undefined;
  }

  #take(tail: Uint8Array): string {
    this.#check(this.#pendingBytes + tail.length);
    let bytes = tail;
    if (this.#pendingBytes > 0) {
      bytes = new Uint8Array(this.#pendingBytes + tail.length);
      let at = 0;
      for (const part of this.#pending) {
        bytes.set(part, at);
        at += part.length;
      }
      bytes.set(tail, at);
      this.#pending = [];
      this.#pendingBytes = 0;
    }
    let line = this.#decoder.decode(bytes);
    if (this.#first) {
      this.#first = false;
      if (line.charCodeAt(0) === 0xfeff) line = line.slice(1);
    }
    return line;
  }

  #check(length: number): void {
    if (length > this.cap) {
      throw new ModelError(`The provider sent a line of more than ${this.cap} bytes`, {
        category: "protocol",
      });
    }
  }
}

/**
 * Lines to frames, as the WHATWG "event stream" format says, plus: a last frame without its blank line counts, and
 * the data of one frame is capped.
 */
export class FrameAssembler {
  #event: string | null = null;
  #data: string[] = [];
  #size = 0;

  constructor(private readonly cap: number = SSE_CAP) {}

  /** The frame that `line` completes. */
  push(line: string): SseFrame | undefined {
    if (line === "") return this.end();
    const colon = line.indexOf(":");
    if (colon === 0) return undefined; // a comment
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.charCodeAt(0) === 0x20) value = value.slice(1);
    if (field === "event") this.#event = value;
    else if (field === "data") {
      this.#size += value.length + 1;
      if (this.#size > this.cap) {
        throw new ModelError(`The provider sent an event of more than ${this.cap} bytes`, {
          category: "protocol",
        });
      }
      this.#data.push(value);
    }
    return undefined;
  }

  /** The frame that is still open, as if a blank line followed. */
  end(): SseFrame | undefined {
    const frame = this.#data.length > 0 ? { event: this.#event, data: this.#data.join("\n") } : undefined;
    this.#event = null;
    this.#data = [];
    this.#size = 0;
    return frame;
  }
}
