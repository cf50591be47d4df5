import { isJsonObject, type Json, type JsonObject } from "../types/mod.ts";
import type { MessageBuilder, OpenBlock } from "./message_builder.ts";
import type { ModelErrorCategory } from "./model_error.ts";
import type { StopReason } from "./port.ts";
import { ToolCallSlots } from "./tool_call_slots.ts";

const STOPS: Readonly<Record<string, StopReason>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  function_call: "tool_use",
  length: "max_tokens",
  max_tokens: "max_tokens",
  content_filter: "refusal",
};

/** Reasons that mean the server gave up (DeepSeek, OpenRouter). */
const BROKEN: Readonly<Record<string, ModelErrorCategory>> = {
  insufficient_system_resource: "overloaded",
  error: "server_error",
};

/**
 * Feeds a builder from chat completion chunks. The answer is complete once a `finish_reason` came; usage may follow it
 * in a chunk without choices. Only the first choice counts.
 */
export class OpenaiStream {
  readonly #calls: ToolCallSlots;
  #block: OpenBlock | undefined;
  #finish: string | undefined;
  #refused = false;

  constructor(private readonly builder: MessageBuilder) {
    this.#calls = new ToolCallSlots(builder);
  }

  /** True once the provider said why it stopped. */
  get complete(): boolean {
    return this.#finish !== undefined;
  }

  /** The category of a `finish_reason` that stands for a failure. */
  get broken(): ModelErrorCategory | undefined {
    return this.#finish === undefined ? undefined : BROKEN[this.#finish];
  }

  push(chunk: JsonObject): void {
    this.builder.start(typeof chunk["id"] === "string" ? chunk["id"] : "");
    this.#usage(chunk["usage"]);
    const choices = Array.isArray(chunk["choices"]) ? chunk["choices"] : [];
    for (const choice of choices) {
      if (!isJsonObject(choice) || (choice["index"] ?? 0) !== 0) continue;
      this.#usage(choice["usage"]); // Moonshot puts it here
      // a server that does not stream sends the whole message
      const delta = isJsonObject(choice["delta"]) ? choice["delta"] : choice["message"];
      if (isJsonObject(delta)) this.#delta(delta);
      if (typeof choice["finish_reason"] === "string" && choice["finish_reason"] !== "") {
        this.#finish = choice["finish_reason"];
      }
    }
  }

  /** Queues `done`. */
  finish(): void {
    this.#close();
    this.#calls.end();
    this.builder.finish(this.#refused ? "refusal" : STOPS[this.#finish ?? ""] ?? "end_turn");
  }

  #delta(delta: JsonObject): void {
    this.#write("thinking", textOf(delta["reasoning_content"] ?? delta["reasoning"]));
    this.#write("text", textOf(delta["content"]));
    const refusal = textOf(delta["refusal"]);
    if (refusal !== "") this.#refused = true;
    this.#write("text", refusal);
    const calls = delta["tool_calls"];
    if (!Array.isArray(calls) || calls.length === 0) return;
    this.#close();
    for (const call of calls) if (isJsonObject(call)) this.#calls.push(call);
  }

  #write(kind: "text" | "thinking", text: string): void {
    if (text === "") return;
    if (this.#block?.kind !== kind) {
      this.#close();
      this.#block = this.builder.open(kind);
    }
    this.builder.append(this.#block, text);
  }

  #close(): void {
    if (this.#block) this.builder.end(this.#block);
    this.#block = undefined;
  }

  #usage(value: Json | undefined): void {
    if (!isJsonObject(value)) return;
    const details = isJsonObject(value["prompt_tokens_details"]) ? value["prompt_tokens_details"] : {};
    const prompt = count(value["prompt_tokens"]);
    const cached = count(
      details["cached_tokens"] ?? value["prompt_cache_hit_tokens"] ?? value["cached_tokens"],
    );
    const written = count(details["cache_write_tokens"]);
    this.builder.usage = {
      input: Math.max(0, prompt - cached - written),
      output: count(value["completion_tokens"]),
      cache_read: cached,
      cache_write: written,
    };
  }
}

function count(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}

/** Text as a string or as a list of parts (Mistral). */
function textOf(value: Json | undefined): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value.map((part) => isJsonObject(part) && typeof part["text"] === "string" ? part["text"] : "").join(
    "",
  );
}
