import type { World } from "../base/mod.ts";
import type { AssistantBlock, AssistantMessage, ToolUseBlock, Usage } from "../types/mod.ts";
import { NO_USAGE } from "../types/mod.ts";
import type { ModelEvent, StopReason } from "./port.ts";
import { readToolArguments } from "./tool_arguments.ts";

/** A block that is being built. `index` is its place in the message. */
export interface OpenBlock {
  readonly index: number;
  readonly kind: "text" | "thinking" | "redacted" | "tool";
  text: string;
  signature?: string;
  wire_id?: string;
  call_id?: string;
  name?: string;
  ended: boolean;
}

/**
 * Collects one answer and queues the events that show it, for both wires. Blocks come into being with their first
 * content, so that an index is never left empty.
 */
export class MessageBuilder {
  readonly #blocks: OpenBlock[] = [];
  #queue: ModelEvent[] = [];
  #started = false;
  usage: Usage = { ...NO_USAGE };
  message_id = "";

  /** `nameOf` gives the own name of a tool that the wire knows by another. */
  constructor(
    private readonly world: World,
    private readonly model: string,
    private readonly nameOf = (wire: string) => wire,
  ) {}

  get started(): boolean {
    return this.#started;
  }

  /** The queued events. */
  take(): ModelEvent[] {
    const events = this.#queue;
    this.#queue = [];
    return events;
  }

  /** Announces the answer, once. */
  start(messageId: string): void {
    if (this.#started) return;
    this.#started = true;
    this.message_id = messageId || this.world.uuid();
    this.#queue.push({
      type: "start",
      model: this.model,
      message_id: this.message_id,
      usage: { ...this.usage },
    });
  }

  open(kind: "text" | "thinking"): OpenBlock {
    return this.#add(kind);
  }

  /** Reasoning that the provider encrypted, which comes whole. */
  redacted(data: string): void {
    const block = this.#add("redacted");
    block.text = data;
    this.#queue.push({ type: "redacted_thinking", index: block.index, data });
    this.end(block);
  }

  /** A tool call; without an id of the provider's, one is made. */
  openTool(wireId: string, wire: string): OpenBlock {
    const block = this.#add("tool");
    const name = this.nameOf(wire);
    block.call_id = this.world.uuid();
    block.wire_id = wireId === "" ? `call_${block.call_id.replaceAll("-", "")}` : wireId;
    block.name = name;
    const { index, call_id, wire_id } = block;
    this.#queue.push({ type: "tool_start", index, call_id, wire_id, name });
    return block;
  }

  append(block: OpenBlock, text: string): void {
    if (text === "") return;
    block.text += text;
    if (block.kind === "tool") this.#queue.push({ type: "tool_input", index: block.index, json: text });
    else if (block.kind !== "redacted") this.#queue.push({ type: block.kind, index: block.index, text });
  }

  sign(block: OpenBlock, signature: string): void {
    block.signature = (block.signature ?? "") + signature;
    if (signature !== "") this.#queue.push({ type: "signature", index: block.index, signature });
  }

  end(block: OpenBlock): void {
    if (block.ended) return;
    block.ended = true;
    this.#queue.push({ type: "block_end", index: block.index });
  }

  /** Closes what is open and queues `done`. Calls in the message make `end_turn` and `stop_sequence` a `tool_use`. */
  finish(stop: StopReason): void {
    for (const block of this.#blocks) this.end(block);
    const content = this.#content(stop === "max_tokens" ? "output limit" : undefined);
    const calls = content.some((block) => block.type === "tool_use");
    const told = stop === "end_turn" || stop === "stop_sequence" ? (calls ? "tool_use" : stop) : stop;
    this.#queue.push({
      type: "done",
      message: { role: "assistant", content },
      stop: told === "tool_use" && !calls ? "end_turn" : told,
      usage: { ...this.usage },
      model: this.model,
      message_id: this.message_id,
    });
  }

  /** What has streamed so far; null when nothing has. A call that did not end is malformed. */
  partial(): AssistantMessage | null {
    const content = this.#content("stream");
    return content.length === 0 ? null : { role: "assistant", content };
  }

  #add(kind: OpenBlock["kind"]): OpenBlock {
    const block: OpenBlock = { index: this.#blocks.length, kind, text: "", ended: false };
    this.#blocks.push(block);
    return block;
  }

  #content(cut: "output limit" | "stream" | undefined): AssistantBlock[] {
    const last = this.#blocks.at(-1);
    return this.#blocks.map((block): AssistantBlock => {
      if (block.kind === "text") return { type: "text", text: block.text };
      if (block.kind === "redacted") return { type: "redacted_thinking", data: block.text };
      if (block.kind === "thinking") {
        const signed = block.signature === undefined ? {} : { signature: block.signature };
        return { type: "thinking", text: block.text, ...signed };
      }
      const wasCut = cut === "stream" ? !block.ended : cut !== undefined && block === last;
      return toolUse(
        block,
        wasCut
          ? `the call was cut off: ${cut === "stream" ? "the stream broke" : "the output limit was reached"}`
          : undefined,
      );
    });
  }
}

function toolUse(block: OpenBlock, cut: string | undefined): ToolUseBlock {
  const base = {
    type: "tool_use" as const,
    call_id: block.call_id ?? "",
    wire_id: block.wire_id ?? "",
    name: block.name ?? "",
  };
  const read = readToolArguments(block.text);
  if ("error" in read) {
    return {
      ...base,
      input: {},
      malformed: { raw: read.raw, error: cut ? `${cut}; ${read.error}` : read.error },
    };
  }
  // a call that was cut before its first argument looks like one without arguments
  if (cut !== undefined && block.text.trim() === "") {
    return { ...base, input: {}, malformed: { raw: block.text, error: cut } };
  }
  return { ...base, input: read.input };
}
