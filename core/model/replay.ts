import { canonicalJson, errorMessage, sha256 } from "../base/mod.ts";
import { isJsonObject } from "../types/mod.ts";
import { ModelError } from "./model_error.ts";
import type { Model, ModelEvent, ModelRequest } from "./port.ts";
import type { Provider } from "./provider.ts";

/** One line of a replay file: the events of one request, and the request they answer. */
export interface ReplayRecord {
  request_hash?: string;
  events: ModelEvent[];
}

/**
 * The identity of a request, SHA-256 of its canonical JSON. Call ids are numbered first, since they are new in every
 * run.
 */
export function requestHash(request: ModelRequest): string {
  const ids = new Map<string, string>();
  const numbered = JSON.parse(JSON.stringify(request), (key, value) => {
    if (key !== "call_id" || typeof value !== "string") return value;
    if (!ids.has(value)) ids.set(value, `call ${ids.size + 1}`);
    return ids.get(value);
  });
  return sha256(canonicalJson(numbered));
}

/**
 * Answers requests with recorded events, in order. A request whose hash differs from the recorded one, or one too many,
 * is a `protocol` ModelError; so is a file that cannot be read.
 */
export class ReplayProvider implements Provider {
  #records: ReplayRecord[] | undefined;
  #next = 0;

  constructor(readonly model: string, private readonly file: string) {}

  async *attempt(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    this.#records ??= await readRecords(this.file);
    if (signal.aborted) throw new ModelError("The model request was aborted", { category: "aborted" });
    const at = this.#next++;
    const record = this.#records[at];
    if (!record) {
      throw this.#error(`has ${this.#records.length} recorded answers; request ${at + 1} is one too many`);
    }
    if (record.request_hash !== undefined) {
      const hash = requestHash(request);
      if (hash !== record.request_hash) {
        throw this.#error(
          `line ${at + 1} was recorded for request ${record.request_hash}, this one is ${hash}`,
        );
      }
    }
    for (const event of record.events) {
      if (signal.aborted) throw new ModelError("The model request was aborted", { category: "aborted" });
      yield event;
    }
    if (record.events.at(-1)?.type !== "done") {
      throw new ModelError(`${this.file}: the recorded answer ${at + 1} has no end`, { category: "network" });
    }
  }

  #error(words: string): ModelError {
    return new ModelError(`${this.file} ${words}; record it again`, { category: "protocol" });
  }
}

async function readRecords(file: string): Promise<ReplayRecord[]> {
  try {
    const lines = (await Deno.readTextFile(file)).split("\n").filter((line) => line.trim() !== "");
    return lines.map((line, at) => {
      const record: unknown = JSON.parse(line);
      if (!isJsonObject(record) || !Array.isArray(record["events"])) {
        throw new Error(`line ${at + 1} has no events`);
      }
      return record as unknown as ReplayRecord;
    });
  } catch (cause) {
    throw new ModelError(`Cannot read the replay file ${file}: ${errorMessage(cause)}`, {
      category: "protocol",
      cause,
    });
  }
}

/** The same model; `sink` gets a record of every request that was answered, for a replay file. */
export function recordModel(model: Model, sink: (record: ReplayRecord) => void | Promise<void>): Model {
  return {
    name: model.name,
    window: model.window,
    max_output: model.max_output,
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      const request_hash = requestHash(request);
      let events: ModelEvent[] = [];
      for await (const event of model.stream(request, signal)) {
        if (event.type === "retry" || event.type === "fallback") events = []; // what came before is void
        else events.push(event);
        yield event;
      }
      await sink({ request_hash, events });
    },
  };
}
