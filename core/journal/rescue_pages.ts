/** A value of a stored row. */
export type CarvedValue = null | number | string | Uint8Array<ArrayBuffer>;

type Bytes = Uint8Array<ArrayBuffer>;

/** A row as it lies in a page, without its table's name: a page does not know which table it belongs to. */
export interface CarvedRow {
  rowid: number;
  values: CarvedValue[];
}

const PAGE = 4096;
const WAL_HEADER = 32;
const FRAME_HEADER = 24;
const TABLE_LEAF = 13;
/** The file's own header stands before the content of page 1. */
const FILE_HEADER = 100;

/**
 * The rows of a damaged SQLite file, found page by page without its trees, so that a page is readable whatever happened
 * to the others (https://sqlite.org/fileformat2.html, sections 1.5, 1.6, 2.1 and 4). A row may come more than once, from
 * older images of its page too: whoever reads must know a good row by itself.
 */
export class PageImage {
  readonly #file: Bytes;
  /** The newest image of each page in the write-ahead log. */
  readonly #logged = new Map<number, Bytes>();
  readonly #frames: Bytes[] = [];

  constructor(file: Bytes, wal: Bytes = new Uint8Array()) {
    this.#file = file;
    this.#readLog(wal);
  }

  *rows(): Generator<CarvedRow> {
    const pages = Math.ceil(this.#file.length / PAGE);
    for (let number = 1; number <= pages; number++) {
      yield* this.#leaf(
        this.#file.subarray((number - 1) * PAGE, number * PAGE),
        number === 1 ? FILE_HEADER : 0,
      );
    }
    yield* this.loggedRows();
  }

  /** The rows of the write-ahead log alone, those behind a damaged frame included. */
  *loggedRows(): Generator<CarvedRow> {
    for (const frame of this.#frames) yield* this.#leaf(frame, 0);
  }

  /** Takes the frames of the log's last generation up to its last commit, whatever their checksums say. */
  #readLog(wal: Bytes): void {
    if (wal.length < WAL_HEADER) return;
    const view = new DataView(wal.buffer, wal.byteOffset, wal.byteLength);
    const salt = view.getBigUint64(16);
    const found: { number: number; page: Bytes; commit: boolean }[] = [];
    for (let at = WAL_HEADER; at + FRAME_HEADER + PAGE <= wal.length; at += FRAME_HEADER + PAGE) {
      if (view.getBigUint64(at + 8) !== salt) continue; // left from before, or damaged itself
      const page = wal.subarray(at + FRAME_HEADER, at + FRAME_HEADER + PAGE);
      found.push({ number: view.getUint32(at), page, commit: view.getUint32(at + 4) !== 0 });
    }
    for (const { number, page } of found.slice(0, found.findLastIndex(({ commit }) => commit) + 1)) {
      this.#logged.set(number, page);
      this.#frames.push(page);
    }
  }

  #page(number: number): Bytes {
    return this.#logged.get(number) ?? this.#file.subarray((number - 1) * PAGE, number * PAGE);
  }

  *#leaf(page: Bytes, start: number): Generator<CarvedRow> {
    if (page[start] !== TABLE_LEAF) return;
    const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
    const cells = page.length < start + 8 ? 0 : view.getUint16(start + 3);
    for (let index = 0; index < cells && start + 10 + 2 * index <= page.length; index++) {
      const row = this.#cell(page, view.getUint16(start + 8 + 2 * index));
      if (row !== undefined) yield row;
    }
  }

  #cell(page: Bytes, at: number): CarvedRow | undefined {
    try {
      const [size, after_size] = varint(page, at);
      const [rowid, start] = varint(page, after_size);
      const payload = this.#payload(page, start, size);
      const values = payload && record(payload);
      return values && { rowid, values };
    } catch {
      return undefined; // a length or a place that leaves the page: no row, or a damaged one
    }
  }

  /** The bytes of a row: what is in its page, and the rest in a chain of overflow pages. */
  #payload(page: Bytes, start: number, size: number): Bytes | undefined {
    const most = PAGE - 35;
    const least = Math.floor((PAGE - 12) * 32 / 255) - 23;
    const spread = least + (size - least) % (PAGE - 4);
    const local = size <= most ? size : spread <= most ? spread : least;
    if (size > this.#file.length + this.#frames.length * PAGE || start + local > page.length) {
      return undefined;
    }
    if (local === size) return page.subarray(start, start + size);
    const bytes = new Uint8Array(size);
    bytes.set(page.subarray(start, start + local));
    let next = u32(page, start + local);
    for (let filled = local; filled < size;) {
      const overflow = this.#page(next);
      if (next === 0 || overflow.length < PAGE) return undefined;
      const part = overflow.subarray(4, 4 + Math.min(PAGE - 4, size - filled));
      bytes.set(part, filled);
      filled += part.length;
      next = u32(overflow, 0);
    }
    return bytes;
  }
}

function u32(bytes: Uint8Array, at: number): number {
  if (at + 4 > bytes.length) throw new RangeError("beyond the page");
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at);
}

/** A variable-length integer and the place after it. Throws for one that leaves the page or is no whole number of ours. */
function varint(bytes: Uint8Array, at: number): [value: number, next: number] {
  let value = 0;
  for (let index = 0; index < 8; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) break;
    value = value * 128 + (byte & 127);
    if (byte < 128) {
      if (!Number.isSafeInteger(value)) break;
      return [value, at + index + 1];
    }
  }
  throw new RangeError("no length");
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8];

/** The values of a row; undefined when its header does not fit its size. */
function record(bytes: Bytes): CarvedValue[] | undefined {
  const [header, first] = varint(bytes, 0);
  const values: CarvedValue[] = [];
  let body = header;
  for (let at = first; at < header;) {
    const [type, next] = varint(bytes, at);
    at = next;
    const length = type >= 12 ? Math.floor((type - 12) / 2) : type === 7 ? 8 : INTEGER_BYTES[type] ?? 0;
    if (body + length > bytes.length) return undefined;
    const part = bytes.subarray(body, body + length);
    body += length;
    if (type >= 12) values.push(type % 2 === 0 ? part : new TextDecoder().decode(part));
    else if (type === 0) values.push(null);
    else if (type === 7) values.push(new DataView(part.buffer, part.byteOffset).getFloat64(0));
    else values.push(type === 8 ? 0 : type === 9 ? 1 : integer(part));
  }
  return body === bytes.length ? values : undefined;
}

/** A big-endian two's-complement integer. */
function integer(bytes: Uint8Array): number {
  let value = (bytes[0] ?? 0) >= 128 ? -1 : 0;
  for (const byte of bytes) value = value * 256 + byte;
  return value;
}
