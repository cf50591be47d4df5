import type { Buffer } from "node:buffer";
import { promisify } from "node:util";
import { LuminaError } from "../../base/mod.ts";

/** Bytes of an answer's head. */
const MOST_HEAD_BYTES = 64 * 1024;
/** Characters of the line that says how long a chunk is. */
const MOST_SIZE_LINE = 1_024;

export interface ExchangeRequest {
  method: "GET" | "POST";
  /** Only its path, query and host are used: the connection is there already. */
  url: URL;
  headers: Headers;
  body?: string;
  /** More bytes of a body end the exchange with an error. */
  max_bytes: number;
  /** Take a compressed answer; it is decompressed up to `max_bytes`. */
  compressed?: boolean;
}

export interface Exchanged {
  status: number;
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
}

/**
 * One request and its answer over an open connection, as HTTP/1.1 (RFC 9112), for one use. Deno's own
 * clients look an address up by themselves, which is what a checked address must not leave to them. Throws `fetch.protocol` for what is no answer, `fetch.too_large`
 * for a longer one.
 */
export async function exchangeHttp(
  connection: { readable: ReadableStream<Uint8Array>; writable: WritableStream<Uint8Array> },
  request: ExchangeRequest,
): Promise<Exchanged> {
  const writer = connection.writable.getWriter();
  await writer.write(encodeRequest(request));
  const reader = new ByteReader(connection.readable.getReader());
  let status: number;
  let headers: Headers;
  do {
    [status, headers] = await readHead(reader);
  } while (status >= 100 && status < 200 && status !== 101);
  const bodiless = status === 101 || status === 204 || status === 304;
  if (bodiless) return { status, headers, body: new Uint8Array() };
  const coding = contentCoding(headers, request.compressed === true);
  const raw = await readBody(reader, headers, request.max_bytes);
  const body = coding === undefined ? raw : await decompressed(raw, coding, request.max_bytes);
  return { status, headers, body };
}

function encodeRequest({ method, url, headers, body, compressed }: ExchangeRequest): Uint8Array {
  const bytes = new TextEncoder().encode(body ?? "");
  const all = new Headers(headers);
  if (!all.has("user-agent")) all.set("user-agent", "Lumina");
  if (!all.has("accept")) all.set("accept", "*/*");
  all.set("accept-encoding", compressed === true ? "gzip, deflate, br" : "identity");
  all.set("connection", "close");
  if (method === "POST") all.set("content-length", String(bytes.length));
  const lines = [`${method} ${url.pathname}${url.search} HTTP/1.1`, `host: ${url.host}`];
  for (const [name, value] of all) lines.push(`${name}: ${value}`);
  // header values are bytes (RFC 9110, 5.5), which Headers has checked to be free of line ends
  const head = Uint8Array.from(`${lines.join("\r\n")}\r\n\r\n`, (char) => char.charCodeAt(0));
  const whole = new Uint8Array(head.length + bytes.length);
  whole.set(head);
  whole.set(bytes, head.length);
  return whole;
}

async function readHead(reader: ByteReader): Promise<[number, Headers]> {
  const text = await reader.until("\r\n\r\n", MOST_HEAD_BYTES);
  const [first = "", ...lines] = text.split("\r\n");
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) throw broken("it does not begin as HTTP/1.1 does");
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon <= 0 || /\s/.test(line.slice(0, colon))) throw broken("a header is not valid");
    try {
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    } catch (cause) {
      throw broken("a header is not valid", cause);
    }
  }
  return [Number(status), headers];
}

type Coding = "gunzip" | "inflate" | "brotliDecompress";
const CODINGS: Readonly<Record<string, Coding>> = {
  gzip: "gunzip",
  "x-gzip": "gunzip",
  deflate: "inflate",
  br: "brotliDecompress",
};

/** How the body is compressed; undefined when it is not. Throws for what was not asked for. */
function contentCoding(headers: Headers, compressed: boolean): Coding | undefined {
  const name = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity") return undefined;
  const coding = compressed && Object.hasOwn(CODINGS, name) ? CODINGS[name] : undefined;
  if (coding === undefined) throw broken(`it is encoded as ${name}, which was not asked for`);
  return coding;
}

/** Ends at `most` bytes, however much more a short body would become. */
async function decompressed(
  raw: Uint8Array,
  coding: Coding,
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (raw.length === 0) return new Uint8Array();
  const zlib = await import("node:zlib");
  const open = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(zlib[coding]);
  try {
    return Uint8Array.from(await open(raw, { maxOutputLength: most }));
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(most);
    throw broken("its compression is damaged", cause);
  }
}

async function readBody(
  reader: ByteReader,
  headers: Headers,
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const transfer = headers.get("transfer-encoding")?.toLowerCase();
  if (transfer !== undefined) {
    if (transfer !== "chunked") throw broken(`its transfer encoding is ${transfer}`);
    return await readChunks(reader, most);
  }
  const length = headers.get("content-length");
  if (length === null) return await reader.rest(most);
  if (!/^\d{1,15}$/.test(length)) throw broken("its length is no number");
  if (Number(length) > most) throw tooLarge(most);
  return await reader.exactly(Number(length));
}

async function readChunks(reader: ByteReader, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let total = 0;
  for (;;) {
    const line = await reader.until("\r\n", MOST_SIZE_LINE);
    const size = /^([0-9a-f]{1,8})\s*(?:;.*)?$/i.exec(line)?.[1];
    if (size === undefined) throw broken("the size of a chunk is no number");
    const length = Number.parseInt(size, 16);
    if (length === 0) return joined(parts, total); // trailers are of no use and the connection is over
    total += length;
    if (total > most) throw tooLarge(most);
    parts.push(await reader.exactly(length));
    if (await reader.until("\r\n", 2) !== "") throw broken("a chunk is longer than it says");
  }
}

/** Takes bytes from a stream in the portions that a protocol has. */
class ByteReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #held: Uint8Array = new Uint8Array();

  constructor(reader: ReadableStreamDefaultReader<Uint8Array>) {
    this.#reader = reader;
  }

  /** The text before `end`, one character for each byte; `end` is taken too and may begin within the first `most` bytes. */
  async until(end: string, most: number): Promise<string> {
    for (let from = 0;;) {
      const text = latin1(this.#held.subarray(0, most + end.length));
      const at = text.indexOf(end, from);
      if (at >= 0) {
        this.#held = this.#held.subarray(at + end.length);
        return text.slice(0, at);
      }
      if (text.length >= most + end.length) throw broken("a part of its head is too long");
      from = Math.max(0, text.length - end.length + 1);
      if (!await this.#more()) throw broken("it ends too early");
    }
  }

  async exactly(length: number): Promise<Uint8Array<ArrayBuffer>> {
    const parts: Uint8Array[] = [];
    for (let missing = length; missing > 0;) {
      if (this.#held.length === 0 && !await this.#more()) throw broken("it ends too early");
      const part = this.#held.subarray(0, missing);
      this.#held = this.#held.subarray(part.length);
      parts.push(part);
      missing -= part.length;
    }
    return joined(parts, length);
  }

  /** Everything up to the end of the connection. */
  async rest(most: number): Promise<Uint8Array<ArrayBuffer>> {
    const parts: Uint8Array[] = [];
    let total = 0;
    do {
      parts.push(this.#held);
      total += this.#held.length;
      this.#held = new Uint8Array();
      if (total > most) throw tooLarge(most);
    } while (await this.#more());
    return joined(parts, total);
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    if (done) return false;
    this.#held = this.#held.length === 0
      ? value
      : joined([this.#held, value], this.#held.length + value.length);
    return true;
  }
}

function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += 8_192) {
    text += String.fromCharCode(...bytes.subarray(start, start + 8_192));
  }
  return text;
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function broken(why: string, cause?: unknown): LuminaError {
  return new LuminaError("fetch.protocol", `the answer cannot be read: ${why}`, { cause });
}

function tooLarge(most: number): LuminaError {
  return new LuminaError("fetch.too_large", `the answer has more than ${most} bytes`);
}
