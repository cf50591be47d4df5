import type { CommandKey, SessionCommand } from "../session/mod.ts";
import type { MediaBlock } from "../types/mod.ts";

/** A message that a person typed. */
export interface InboxMessage {
  kind: "message";
  text: string;
  media?: MediaBlock[];
  /** Tells it once, whoever repeats it. */
  once?: Pick<CommandKey, "key" | "request_hash">;
}

/** Something that the program tells of: background work that ended or changed. */
export interface InboxNotice {
  kind: "notice";
  text: string;
  /** A run that would end goes on because of it. */
  wakes?: true;
  /** Recorded in one commit with the notice. */
  commands?: readonly SessionCommand[];
}

/** Something that reaches a session from outside its run. */
export type InboxItem = InboxMessage | InboxNotice;

/**
 * What waits to be told to the model: messages typed while a run goes on, and notices of background work. A run takes it at
 * its next step; a message that waits when a run would end keeps it going.
 */
export class Inbox {
  #items: InboxItem[] = [];
  #arrived: (() => void)[] = [];

  push(item: InboxItem): void {
    this.#items.push(item);
    for (const tell of this.#arrived.splice(0)) tell();
  }

  /** What has waited longest; it waits on until it is dropped. */
  get first(): InboxItem | undefined {
    return this.#items[0];
  }

  /** The item has been dealt with. */
  drop(item: InboxItem): void {
    this.#items = this.#items.filter((other) => other !== item);
  }

  /** The messages that wait, oldest first; they wait no longer, and notices stay. */
  takeMessages(): InboxMessage[] {
    const messages = this.#items.filter((item) => item.kind === "message");
    this.#items = this.#items.filter((item) => item.kind !== "message");
    return messages;
  }

  /** True when something waits that keeps a run going which would end: a message, or a notice that says so. */
  wakes(): boolean {
    return this.#items.some((item) => item.kind === "message" || item.wakes === true);
  }

  waits(kind?: InboxItem["kind"]): boolean {
    return kind === undefined ? this.#items.length > 0 : this.#items.some((item) => item.kind === kind);
  }

  /** Settles when something waits; rejects with the signal's reason. */
  async arrival(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#items.length > 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    this.#arrived.push(resolve);
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", stop);
      this.#arrived = this.#arrived.filter((tell) => tell !== resolve);
    }
  }
}
