import { errorMessage } from "../base/mod.ts";
import { MODEL_ERROR_CATEGORIES, ModelError } from "./model_error.ts";
import type { ModelEvent, ModelRequest } from "./port.ts";
import type { Provider } from "./provider.ts";
import { requestDifference } from "./replay_difference.ts";
import { parseRecording } from "./replay_recording.ts";
import type { Recording, ReplayRecord } from "./replay_recording.ts";

/** A recording with the name that errors give it, or the path of its file. */
export type ReplaySource = string | { name: string; recording: Recording };

/**
 * Answers requests with recorded events, in order. A request that is not the recorded one, or one too many, is a
 * `protocol` ModelError that says where they differ; so is a file that cannot be read. A recorded failure fails again
 * in the same way. A session that goes on begins with the recorded request that has as many messages as its own first.
 */
export class ReplayProvider implements Provider {
  readonly #name: string;
  #source: ReplaySource;
  #records: ReplayRecord[] | undefined;
  #next = 0;

  constructor(readonly model: string, source: ReplaySource) {
    this.#source = source;
    this.#name = typeof source === "string" ? source : source.name;
  }

  async *attempt(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    if (this.#records === undefined) {
      this.#records = (await read(this.#source)).records;
      this.#next = startOf(this.#records, request);
    }
    if (signal.aborted) throw new ModelError("The model request was aborted", { category: "aborted" });
    const at = this.#next++;
    const record = this.#records[at];
    if (record === undefined) {
      throw this.#error(`has ${this.#records.length} recorded answers; request ${at + 1} is one too many`);
    }
    if (record.request !== undefined) {
      const difference = requestDifference(record.request, request);
      if (difference !== undefined) {
        throw this.#error(`was recorded with another request ${at + 1}: they differ ${difference}`);
      }
    }
    for (const event of record.events) {
      if (signal.aborted) throw new ModelError("The model request was aborted", { category: "aborted" });
      yield event;
    }
    if (record.error !== undefined) throw recordedError(record.error);
    if (record.events.at(-1)?.type !== "done") {
      throw new ModelError(`${this.#name}: the recorded answer ${at + 1} has no end`, {
        category: "network",
      });
    }
  }

  #error(words: string): ModelError {
    return new ModelError(`${this.#name} ${words}`, { category: "protocol" });
  }
}

/** Where a conversation that may already have messages stands in a recording. */
function startOf(records: readonly ReplayRecord[], { messages }: ModelRequest): number {
  const found = records.findIndex(({ request }) => request?.messages.length === messages.length);
  return found < 0 ? 0 : found;
}

function recordedError({ code, message, partial }: NonNullable<ReplayRecord["error"]>): ModelError {
  const category = MODEL_ERROR_CATEGORIES.find((name) => code === `model.${name}`) ?? "unknown";
  return new ModelError(message, { category, partial });
}

async function read(source: ReplaySource): Promise<Recording> {
  if (typeof source !== "string") return source.recording;
  try {
    return parseRecording(await Deno.readTextFile(source));
  } catch (cause) {
    throw new ModelError(`Cannot read the replay file ${source}: ${errorMessage(cause)}`, {
      category: "protocol",
      cause,
    });
  }
}
