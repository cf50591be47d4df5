import { LuminaError } from "../../../base/mod.ts";
import { isJsonObject } from "../../../types/mod.ts";
import type { Json, JsonObject } from "../../../types/mod.ts";

/** Bytes of one message; a server that sends more is ended. */
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_HEADER_BYTES = 8 * 1024;

/** What the other side may send by itself. */
export interface LspHandlers {
  /** A request of the server; undefined: there is no such method here. */
  asked(method: string, params: Json): Json | undefined;
  told(method: string, params: Json): void;
}

interface Waiting {
  resolve(result: Json): void;
  reject(error: Error): void;
}

/**
 * JSON-RPC with the framing of the Language Server Protocol over a pair of streams
 * (https://microsoft.github.io/language-server-protocol/specifications/base/0.9/specification/). What waits for an answer is
 * rejected when the streams end.
 */
export class LspConnection {
  /** Settles when the server's stream has ended, with why when it ended badly. */
  readonly ended: Promise<Error | undefined>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #handlers: LspHandlers;
  readonly #waiting = new Map<number, Waiting>();
  #next = 1;
  #over = false;

  constructor(
    input: ReadableStream<Uint8Array>,
    output: WritableStream<Uint8Array>,
    handlers: LspHandlers,
  ) {
    this.#writer = output.getWriter();
    this.#handlers = handlers;
    this.ended = this.#read(input);
  }

  /** Asks, and gives the result. Throws `lsp.refused` for an error of the server, `lsp.ended` when it is gone. */
  async request(method: string, params: Json): Promise<Json> {
    const id = this.#next++;
    const answer = new Promise<Json>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    if (this.#over) this.#waiting.get(id)?.reject(gone());
    else this.#send({ jsonrpc: "2.0", id, method, params });
    return await answer;
  }

  notify(method: string, params: Json): void {
    if (!this.#over) this.#send({ jsonrpc: "2.0", method, params });
  }

  /** Takes the pipe to the server away. */
  async close(): Promise<void> {
    await this.#writer.close().catch(() => {}); // the server has closed it
  }

  #send(message: JsonObject): void {
    const body = new TextEncoder().encode(JSON.stringify(message));
    const head = new TextEncoder().encode(`Content-Length: ${body.length}\r\n\r\n`);
    const whole = new Uint8Array(head.length + body.length);
    whole.set(head);
    whole.set(body, head.length);
    // a server that is gone ends the reading side too, which tells who waits
    this.#writer.write(whole).catch(() => {});
  }

  async #read(input: ReadableStream<Uint8Array>): Promise<Error | undefined> {
    let failure: Error | undefined;
    try {
      for await (const message of messages(input)) this.#take(message);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
    this.#over = true;
    for (const { reject } of this.#waiting.values()) reject(failure ?? gone());
    this.#waiting.clear();
    return failure;
  }

  #take(message: JsonObject): void {
    const { id, method, params = null } = message;
    if (typeof method === "string") {
      if (id === undefined) return this.#handlers.told(method, params);
      const result = this.#handlers.asked(method, params);
      const answer: JsonObject = result === undefined
        ? { error: { code: -32601, message: `There is no method ${method}` } }
        : { result };
      return this.#send({ jsonrpc: "2.0", id: id ?? null, ...answer });
    }
    const waiting = typeof id === "number" ? this.#waiting.get(id) : undefined;
    if (waiting === undefined) return;
    this.#waiting.delete(id as number);
    const { error, result = null } = message;
    if (error === undefined || error === null) return waiting.resolve(result);
    const said = isJsonObject(error) ? String(error["message"]) : String(error);
    waiting.reject(new LuminaError("lsp.refused", `The language server refused: ${said.slice(0, 300)}`));
  }
}

function gone(): LuminaError {
  return new LuminaError("lsp.ended", "The language server has ended");
}

/** Takes a stream apart into messages. Throws `lsp.framing` for what is none. */
async function* messages(input: ReadableStream<Uint8Array>): AsyncGenerator<JsonObject> {
  let held = new Uint8Array(0);
  let length: number | undefined;
  for await (const chunk of input) {
    const joined = new Uint8Array(held.length + chunk.length);
    joined.set(held);
    joined.set(chunk, held.length);
    held = joined;
    for (;;) {
      if (length === undefined) {
        const end = headerEnd(held);
        if (end === undefined) {
          if (held.length > MOST_HEADER_BYTES) throw unframed("its header does not end");
          break;
        }
        length = contentLength(new TextDecoder().decode(held.subarray(0, end)));
        held = held.slice(end + 4);
      }
      if (held.length < length) break;
      const text = new TextDecoder().decode(held.subarray(0, length));
      held = held.slice(length);
      length = undefined;
      yield parsed(text);
    }
  }
}

function headerEnd(bytes: Uint8Array): number | undefined {
  for (let at = 0; at + 3 < bytes.length; at++) {
    if (bytes[at] === 13 && bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at;
  }
  return undefined;
}

function contentLength(header: string): number {
  const length = Number(/^content-length:\s*(\d+)\s*$/im.exec(header)?.[1] ?? NaN);
  if (!(length <= MOST_BYTES)) throw unframed("it says no usable length");
  return length;
}

function parsed(text: string): JsonObject {
  let json: Json;
  try {
    json = JSON.parse(text);
  } catch {
    throw unframed("it is no JSON");
  }
  if (!isJsonObject(json)) throw unframed("it is no object");
  return json;
}

function unframed(why: string): LuminaError {
  return new LuminaError("lsp.framing", `What the language server sent is no message: ${why}`);
}
