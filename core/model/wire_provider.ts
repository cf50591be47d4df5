import type { World } from "../base/mod.ts";
import type { JsonObject } from "../types/mod.ts";
import { AttemptFetch, type AttemptSettings } from "./attempt_fetch.ts";
import { MessageBuilder } from "./message_builder.ts";
import { ModelError } from "./model_error.ts";
import type { ModelEvent, ModelRequest } from "./port.ts";
import type { Provider } from "./provider.ts";
import { wireTools } from "./wire_tools.ts";

/** What differs between the wires. */
export interface WireAdapter {
  /** The request's body. */
  body(request: ModelRequest): JsonObject;
  /** Sends it through the SDK with the attempt's `fetch`. */
  send(body: JsonObject, attempt: AttemptFetch): Promise<AsyncIterable<JsonObject>>;
  /** A reader for one answer. */
  reader(builder: MessageBuilder): AnswerReader;
}

export interface AnswerReader {
  /** Takes an event; "complete" ends the reading, "answered" when only trailing data may follow. */
  push(event: JsonObject): "more" | "answered" | "complete";
  /** Queues `done` when the body has ended; gives the error when the provider called the answer off. */
  end(attempt: AttemptFetch): ModelError | undefined;
}

export interface WireProviderSettings extends AttemptSettings {
  model: string;
  world: World;
  adapter: WireAdapter;
  /** How long data may still trail after the answer, milliseconds. */
  trailing_ms: number;
}

/** A provider over HTTP: one attempt is one request through the wire's SDK. */
export class WireProvider implements Provider {
  readonly model: string;

  constructor(private readonly settings: WireProviderSettings) {
    this.model = settings.model;
  }

  async *attempt(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { adapter, world } = this.settings;
    const attempt = new AttemptFetch(this.settings, signal);
    const wire = wireTools(request);
    const builder = new MessageBuilder(world, this.model, wire.nameOf);
    const reader = adapter.reader(builder);
    let answered = false;
    try {
      const events = await adapter.send(adapter.body(wire.request), attempt);
      for await (const event of events) {
        const state = reader.push(event);
        if (state === "complete") {
          yield* builder.take();
          return;
        }
        if (state === "answered" && !answered) {
          answered = true;
          attempt.limitSilence(this.settings.trailing_ms);
        }
        yield* builder.take();
      }
      if (!answered) throw attempt.endOfStream();
    } catch (thrown) {
      const error = attempt.reason(thrown);
      // the answer stands even if the connection breaks or stays open before usage came
      if (!answered || (error.category !== "network" && error.category !== "timeout")) {
        throw error.with({ partial: builder.partial() });
      }
    } finally {
      attempt.close();
    }
    const refused = reader.end(attempt);
    if (refused) throw refused.with({ partial: builder.partial() });
    yield* builder.take();
  }
}
