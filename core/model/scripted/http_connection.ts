/** A request as it came: names of headers in lower case, body as bytes. */
export interface HttpRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
}

const MAX_HEAD = 256 * 1024;
const MAX_BODY = 256 * 1024 * 1024;
const encoder = new TextEncoder();

/**
 * One HTTP/1.1 connection of a server that decides where each write begins and ends, which the servers of the runtime do
 * not allow: they join neighbouring chunks and end a broken body in their own way. Follows RFC 9112.
 */
export class HttpConnection {
  readonly #conn: Deno.TcpConn;
  readonly #gone = new AbortController();
  #buffer = new Uint8Array(0);
  #wake: (() => void) | undefined;

  constructor(conn: Deno.TcpConn) {
    this.#conn = conn;
    conn.setNoDelay(true);
    this.#pump();
  }

  /** Aborts when the client has gone or `close` was called. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** The next request; null when the client ends the connection or speaks something else. */
  async readRequest(): Promise<HttpRequest | null> {
    let end = -1;
    while ((end = findHeadEnd(this.#buffer)) < 0) {
      if (this.#buffer.length > MAX_HEAD || !(await this.#more())) return null;
    }
    const lines = new TextDecoder().decode(this.#take(end + 4)).split("\r\n");
    const [method, path] = (lines[0] ?? "").split(" ");
    if (method === undefined || path === undefined) return null;
    const headers: Record<string, string> = {};
    for (const line of lines.slice(1)) {
      const colon = line.indexOf(":");
      if (colon > 0) headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
    }
    if (headers["expect"]?.toLowerCase() === "100-continue") {
      await this.write("HTTP/1.1 100 Continue\r\n\r\n");
    }
    const body = headers["transfer-encoding"]?.toLowerCase().includes("chunked")
      ? await this.#readChunked()
      : await this.#read(Number(headers["content-length"] ?? 0));
    return body === null ? null : { method, path, headers, body };
  }

  /** Writes all bytes in as few system calls as the socket allows. False when the client has gone. */
  async write(data: Uint8Array | string): Promise<boolean> {
    const bytes = typeof data === "string" ? encoder.encode(data) : data;
    try {
      for (let written = 0; written < bytes.length;) {
        written += await this.#conn.write(bytes.subarray(written));
      }
      return true;
    } catch {
      this.#gone.abort(); // a broken pipe: the client has gone, which is all the caller wants to know
      return false;
    }
  }

  /** Ends the connection; a second call does nothing. */
  async close(): Promise<void> {
    this.#gone.abort();
    this.#wake?.();
    try {
      await this.#conn.closeWrite(); // before Deno 2.9 a close alone waits for the pending read, and the client for the end
    } catch {
      // the client has gone before
    }
    try {
      this.#conn.close();
    } catch {
      // already closed
    }
  }

  async #pump(): Promise<void> {
    const chunk = new Uint8Array(64 * 1024);
    try {
      for (let read; (read = await this.#conn.read(chunk)) !== null;) {
        const joined = new Uint8Array(this.#buffer.length + read);
        joined.set(this.#buffer);
        joined.set(chunk.subarray(0, read), this.#buffer.length);
        this.#buffer = joined;
        this.#wake?.();
      }
    } catch {
      // reset by the client or closed here: the connection is over either way
    }
    this.#gone.abort();
    this.#wake?.();
  }

  /** Waits for more bytes; false when none will come. */
  async #more(): Promise<boolean> {
    if (this.#gone.signal.aborted) return false;
    const before = this.#buffer.length;
    await new Promise<void>((resolve) => this.#wake = resolve);
    this.#wake = undefined;
    return this.#buffer.length > before;
  }

  #take(count: number): Uint8Array<ArrayBuffer> {
    const taken = this.#buffer.slice(0, count);
    this.#buffer = this.#buffer.slice(count);
    return taken;
  }

  async #read(count: number): Promise<Uint8Array<ArrayBuffer> | null> {
    if (!(count >= 0 && count <= MAX_BODY)) return null;
    while (this.#buffer.length < count) if (!(await this.#more())) return null;
    return this.#take(count);
  }

  async #readLine(): Promise<string | null> {
    for (;;) {
      const end = this.#buffer.indexOf(10);
      if (end >= 0) return new TextDecoder().decode(this.#take(end + 1)).trim();
      if (this.#buffer.length > MAX_HEAD || !(await this.#more())) return null;
    }
  }

  async #readChunked(): Promise<Uint8Array<ArrayBuffer> | null> {
    const parts: Uint8Array<ArrayBuffer>[] = [];
    for (;;) {
      const line = await this.#readLine();
      const size = parseInt(line ?? "", 16);
      const part = await this.#read(size);
      if (part === null) return null;
      if (await this.#readLine() === null) return null;
      if (size === 0) return new Uint8Array(await new Blob(parts).arrayBuffer());
      parts.push(part);
    }
  }
}

function findHeadEnd(bytes: Uint8Array): number {
  for (let at = bytes.indexOf(13); at >= 0; at = bytes.indexOf(13, at + 1)) {
    if (bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at;
  }
  return -1;
}
