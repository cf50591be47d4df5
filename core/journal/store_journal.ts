import type { World } from "../base/mod.ts";
import type { Json, NewEvent, StoredEvent } from "../types/mod.ts";
import type {
  AppendOptions,
  AppendResult,
  Checkpoint,
  Journal,
  JournalStats,
  ReadOptions,
  Redaction,
  RedactionResult,
  StoredProjection,
  VerifyReport,
} from "./journal.ts";
import { journalError } from "./journal_error.ts";
import type { Page, PageRequest } from "./read_page.ts";
import type { StorePort } from "./store_port.ts";
import {
  type AppendReply,
  encodeAppend,
  encodeCheckpoint,
  encodeOffset,
  encodeProjection,
  encodeRedaction,
  type WriteRequest,
} from "./write_request.ts";
import { WriteQueue } from "./write_queue.ts";

const DEFAULT_PAGE = 1000;
const MAX_PAGE = 5000;

/**
 * A `Journal` over a store: checks and encodes what goes in, gathers writes into group commits, decodes what comes
 * out. The same in one thread and across a worker.
 */
export class StoreJournal implements Journal {
  readonly #store: StorePort;
  readonly #world: World;
  readonly #queue: WriteQueue;
  #closed: Promise<void> | undefined;

  constructor(store: StorePort, world: World) {
    this.#store = store;
    this.#world = world;
    this.#queue = new WriteQueue((batch) => store.write(batch));
  }

  append(
    stream_id: string,
    expected: number | "any",
    events: readonly NewEvent[],
    options: AppendOptions = {},
  ): Promise<AppendResult> {
    return this.#write(
      () => encodeAppend(stream_id, expected, events, options, this.#world.now()),
      appendResult,
    );
  }

  async read(options: ReadOptions = {}): Promise<StoredEvent[]> {
    const { after = 0, limit = DEFAULT_PAGE, stream_id } = options;
    if (!Number.isSafeInteger(after) || after < 0) {
      throw journalError(
        "invalid",
        `Cannot read events after ${after}: a position is 0 or a positive integer`,
      );
    }
    if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_PAGE) {
      throw journalError("invalid", `Cannot read ${limit} events: a page has 1 to ${MAX_PAGE}`);
    }
    const request: PageRequest = { after, limit, stream_id, checked: false };
    const events: StoredEvent[] = [];
    for (;;) {
      const { more, last, parsed } = await this.#page(request);
      if (events.length === 0 && !more) return parsed;
      for (const event of parsed) events.push(event);
      if (!more) return events;
      request.after = last;
      request.limit = limit - events.length;
    }
  }

  async #page(request: PageRequest): Promise<Page & { parsed: StoredEvent[] }> {
    const page = await this.#call("page", request);
    const parsed = parsePage(page);
    if (parsed !== undefined) return { ...page, parsed };
    const checked = await this.#call("page", { ...request, checked: true });
    return { ...checked, parsed: JSON.parse(checked.json) };
  }

  version(stream_id: string): Promise<number> {
    return this.#call("version", stream_id);
  }

  head(): Promise<number> {
    return this.#call("head");
  }

  async command(key: string): Promise<{ request_hash: string; result: Json } | undefined> {
    const found = await this.#call("command", key);
    return found && { request_hash: found.request_hash, result: JSON.parse(found.result) };
  }

  putBlob(bytes: Uint8Array): Promise<string> {
    // A copy: the caller may change its bytes while the write waits.
    return this.#write(() => ({ kind: "blob", bytes: bytes.slice() }));
  }

  getBlob(sha256: string): Promise<Uint8Array | undefined> {
    return this.#call("blob", sha256);
  }

  async checkpoint(name: string): Promise<Checkpoint | undefined> {
    const found = await this.#call("checkpoint", name);
    return found && { ...found, state: JSON.parse(found.state) };
  }

  async putCheckpoint(checkpoint: Checkpoint): Promise<void> {
    await this.#write(() => encodeCheckpoint(checkpoint));
  }

  async projection(name: string): Promise<StoredProjection | undefined> {
    const found = await this.#call("projection", name);
    return found && { ...found, state: JSON.parse(found.state) };
  }

  async putProjection(projection: StoredProjection): Promise<void> {
    await this.#write(() => encodeProjection(projection));
  }

  offset(consumer: string): Promise<number> {
    return this.#call("offset", consumer);
  }

  async setOffset(consumer: string, seq: number, { reset = false }: { reset?: boolean } = {}): Promise<void> {
    await this.#write(() => encodeOffset(consumer, seq, reset));
  }

  redact(redaction: Redaction): Promise<RedactionResult> {
    return this.#write(() => encodeRedaction(redaction, this.#world.now()));
  }

  verify(): Promise<VerifyReport> {
    return this.#call("verify");
  }

  stats(): Promise<JournalStats> {
    return this.#call("stats");
  }

  close(): Promise<void> {
    this.#closed ??= this.#queue.drained().then(() => this.#store.close());
    return this.#closed;
  }

  /** Rejects with what `encode` throws. */
  #write<T, R = T>(encode: () => WriteRequest, finish?: (value: T) => R): Promise<R> {
    if (this.#closed) return Promise.reject(closedError());
    try {
      return this.#queue.add(encode(), finish);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #call: StorePort["call"] = (method, ...args) =>
    this.#closed ? Promise.reject(closedError()) : this.#store.call(method, ...args);
}

function appendResult(reply: AppendReply): AppendResult {
  if (reply.result === undefined) return reply as AppendResult;
  return { ...reply, result: JSON.parse(reply.result) };
}

function closedError(): Error {
  return journalError("closed", "Cannot use the journal: it is closed");
}

/** The events of a page; undefined when a damaged payload is no JSON. */
function parsePage(page: Page): StoredEvent[] | undefined {
  try {
    return JSON.parse(page.json);
  } catch {
    return undefined; // the page is read again with every payload checked, which names the damage
  }
}
