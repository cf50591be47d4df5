import type { JsonObject } from "../types/mod.ts";

/**
 * Puts the content blocks of one Anthropic stream one after the other: that wire opens a block only when the one
 * before has stopped, while parallel calls of the OpenAI wire stay open side by side. Events of a later block wait
 * until the open one has stopped.
 */
export class BlockOrder {
  #open: number | undefined;
  #held = new Map<number, JsonObject[]>();

  /** The events that may be told now. */
  push(event: JsonObject): JsonObject[] {
    if (event["type"] === "message_start") {
      this.#open = undefined;
      this.#held.clear();
    }
    const index = event["index"];
    if (typeof index !== "number") return [event];
    if (this.#open !== undefined && this.#open !== index) {
      const held = this.#held.get(index) ?? [];
      this.#held.set(index, held);
      held.push(event);
      return [];
    }
    this.#open = index;
    if (event["type"] !== "content_block_stop") return [event];
    this.#open = undefined;
    return [event, ...this.#next()];
  }

  /** What waited, block by block, up to the first that has not stopped. */
  #next(): JsonObject[] {
    const events: JsonObject[] = [];
    for (const index of [...this.#held.keys()].sort((a, b) => a - b)) {
      const held = this.#held.get(index) ?? [];
      this.#held.delete(index);
      events.push(...held);
      if (held.at(-1)?.["type"] === "content_block_stop") continue;
      this.#open = index;
      break;
    }
    return events;
  }
}
