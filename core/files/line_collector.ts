import { decodeText } from "./decode_text.ts";
import { joinBytes } from "./encode_text.ts";
import type { TextEncoding } from "./text_format.ts";

/** One line without its end. */
export interface CollectedLine {
  /** At most as many bytes of it as were asked for, decoded without loss; a character may be cut at the end then. */
  text: string;
  /** Bytes of the whole line. */
  bytes: number;
  cut: boolean;
}

/** Which lines to keep and how much of each. */
export interface LineWindow {
  /** 1-based. */
  first: number;
  count: number;
  line_bytes: number;
  /** No further line is kept once the kept ones have so many bytes together. */
  total_bytes: number;
}

/**
 * Splits a stream of bytes into lines (LF, CRLF or lone CR) and keeps those of a window, in memory bounded by the
 * window however long the stream and its lines are.
 */
export class LineCollector {
  readonly lines: CollectedLine[] = [];
  readonly #window: LineWindow;
  readonly #encoding: TextEncoding;
  #line = 1;
  #line_length = 0;
  #parts: Uint8Array[] = [];
  #kept = 0;
  #kept_total = 0;
  #after_cr = false;
  #odd: Uint8Array = new Uint8Array(0);

  constructor(encoding: TextEncoding, window: LineWindow) {
    this.#encoding = encoding;
    this.#window = window;
  }

  /** Lines seen so far, a last one without line end included. */
  get count(): number {
    return this.#line - (this.#line_length === 0 ? 1 : 0);
  }

  /** True when nothing that follows can be kept. */
  get satisfied(): boolean {
    return this.lines.length >= this.#window.count || this.#kept_total >= this.#window.total_bytes;
  }

  /** Takes the next bytes; the buffer may be used again afterwards. */
  push(chunk: Uint8Array): void {
    if (this.#encoding === "utf-8") return this.#scan(chunk, chunk, 1);
    const bytes = this.#odd.length === 0 ? chunk : joinBytes([this.#odd, chunk]);
    const even = bytes.length & ~1;
    this.#odd = bytes.slice(even);
    const view = new DataView(bytes.buffer, bytes.byteOffset, even);
    const units = new Uint16Array(even / 2);
    const little = this.#encoding === "utf-16le";
    for (let index = 0; index < units.length; index++) units[index] = view.getUint16(2 * index, little);
    this.#scan(units, bytes, 2);
  }

  /** Ends the last line. */
  finish(): void {
    if (this.#line_length > 0) this.#endLine();
  }

  #scan(units: Uint8Array | Uint16Array, bytes: Uint8Array, width: number): void {
    let start = 0;
    for (let index = 0; index < units.length; index++) {
      const unit = units[index];
      if (unit !== 10 && unit !== 13) {
        this.#after_cr = false;
        continue;
      }
      const second_half = unit === 10 && this.#after_cr && start === index;
      if (!second_half) {
        this.#keep(bytes.subarray(start * width, index * width));
        this.#endLine();
      }
      this.#after_cr = unit === 13;
      start = index + 1;
    }
    this.#keep(bytes.subarray(start * width, units.length * width));
  }

  #keep(bytes: Uint8Array): void {
    this.#line_length += bytes.length;
    const room = this.#window.line_bytes - this.#kept;
    if (room <= 0 || bytes.length === 0 || this.#line < this.#window.first || this.satisfied) return;
    const part = bytes.slice(0, room);
    this.#parts.push(part);
    this.#kept += part.length;
  }

  #endLine(): void {
    if (this.#line >= this.#window.first && !this.satisfied) {
      const text = decodeText(joinBytes(this.#parts), this.#encoding);
      this.lines.push({ text, bytes: this.#line_length, cut: this.#kept < this.#line_length });
      this.#kept_total += this.#kept;
    }
    this.#parts = [];
    this.#kept = 0;
    this.#line_length = 0;
    this.#line++;
  }
}
