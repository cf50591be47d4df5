import { isJsonObject, type Json, type JsonObject } from "../types/mod.ts";
import type { MessageBuilder, OpenBlock } from "./message_builder.ts";
import type { StopReason } from "./port.ts";

const STOPS: Readonly<Record<string, StopReason>> = {
  end_turn: "end_turn",
  tool_use: "tool_use",
  max_tokens: "max_tokens",
  model_context_window_exceeded: "max_tokens",
  stop_sequence: "stop_sequence",
  pause_turn: "pause",
  refusal: "refusal",
};

/** A content block of the wire; `block` is made with its first content. */
interface Slot {
  kind: "text" | "thinking" | "tool" | "ignored";
  block?: OpenBlock;
  /** Arguments that came whole with the start of a call; deltas replace them. */
  given?: string;
}

/**
 * Feeds a builder from the events of Anthropic's Messages API. Unknown events, blocks and deltas are ignored; usage is
 * cumulative. Events are read defensively, since compatible servers leave fields out.
 */
export class AnthropicStream {
  readonly #slots = new Map<number, Slot>();
  #last = -1;
  #stop: string | undefined;

  constructor(private readonly builder: MessageBuilder) {}

  /** Takes one event; true when it was `message_stop`: the answer is complete. */
  push(event: JsonObject): boolean {
    switch (event["type"]) {
      case "message_start": {
        const message = asObject(event["message"]);
        this.#usage(asObject(message["usage"]));
        this.builder.start(asText(message["id"]));
        return false;
      }
      case "content_block_start":
        this.builder.start("");
        this.#open(this.#index(event, true), asObject(event["content_block"]));
        return false;
      case "content_block_delta":
        this.builder.start("");
        this.#delta(this.#index(event, false), asObject(event["delta"]));
        return false;
      case "content_block_stop":
        this.#close(this.#index(event, false));
        return false;
      case "message_delta": {
        this.builder.start("");
        const reason = asObject(event["delta"])["stop_reason"];
        if (typeof reason === "string") this.#stop = reason;
        this.#usage(asObject(event["usage"]));
        return false;
      }
      case "message_stop":
        this.builder.start("");
        for (const index of this.#slots.keys()) this.#close(index);
        this.builder.finish(STOPS[this.#stop ?? ""] ?? "end_turn");
        return true;
      default:
        return false;
    }
  }

  #index(event: JsonObject, opening: boolean): number {
    const index = event["index"];
    if (typeof index === "number") this.#last = index;
    else if (opening) this.#last++;
    return this.#last;
  }

  #open(index: number, content: JsonObject): void {
    this.#close(index); // a server that counts wrongly opens a second block under the same index
    const slot: Slot = { kind: "ignored" };
    this.#slots.set(index, slot);
    switch (content["type"]) {
      case "text":
        slot.kind = "text";
        this.#write(slot, asText(content["text"]));
        break;
      case "thinking":
        slot.kind = "thinking";
        this.#write(slot, asText(content["thinking"]));
        this.#sign(slot, asText(content["signature"]));
        break;
      case "redacted_thinking":
        this.builder.redacted(asText(content["data"]));
        break;
      case "tool_use": {
        slot.kind = "tool";
        slot.block = this.builder.openTool(asText(content["id"]), asText(content["name"]));
        const input = content["input"];
        if (isJsonObject(input) && Object.keys(input).length > 0) slot.given = JSON.stringify(input);
        else if (typeof input === "string") slot.given = input;
      }
    }
  }

  #delta(index: number, delta: JsonObject): void {
    const slot = this.#slots.get(index) ?? { kind: "ignored" };
    switch (delta["type"]) {
      case "text_delta":
        if (!this.#slots.has(index)) this.#slots.set(index, slot).get(index)!.kind = "text";
        if (slot.kind === "text") this.#write(slot, asText(delta["text"]));
        break;
      case "thinking_delta":
        if (!this.#slots.has(index)) this.#slots.set(index, slot).get(index)!.kind = "thinking";
        if (slot.kind === "thinking") this.#write(slot, asText(delta["thinking"]));
        break;
      case "signature_delta":
        if (slot.kind === "thinking") this.#sign(slot, asText(delta["signature"]));
        break;
      case "input_json_delta":
        if (slot.kind === "tool" && slot.block) {
          const json = asText(delta["partial_json"]);
          if (json !== "") delete slot.given;
          this.builder.append(slot.block, json);
        }
    }
  }

  #close(index: number): void {
    const slot = this.#slots.get(index);
    if (!slot?.block) return;
    if (slot.given !== undefined && !slot.block.ended) this.builder.append(slot.block, slot.given);
    this.builder.end(slot.block);
  }

  #write(slot: Slot, text: string): void {
    if (text === "" || (slot.kind !== "text" && slot.kind !== "thinking")) return;
    slot.block ??= this.builder.open(slot.kind);
    this.builder.append(slot.block, text);
  }

  #sign(slot: Slot, signature: string): void {
    if (signature === "") return;
    slot.block ??= this.builder.open("thinking");
    this.builder.sign(slot.block, signature);
  }

  #usage(usage: JsonObject): void {
    const take = (key: string, old: number) => typeof usage[key] === "number" ? usage[key] : old;
    const now = this.builder.usage;
    this.builder.usage = {
      input: take("input_tokens", now.input),
      output: take("output_tokens", now.output),
      cache_read: take("cache_read_input_tokens", now.cache_read),
      cache_write: take("cache_creation_input_tokens", now.cache_write),
    };
  }
}

function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function asText(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
