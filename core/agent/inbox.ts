/** Something that reaches a session from outside its run. */
export interface InboxItem {
  /** `message`: a person typed it. `notice`: the program tells of something that ended or changed. */
  kind: "message" | "notice";
  text: string;
  /** Runs it once, whoever repeats it; only for messages. */
  key?: string;
}

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

  /** Everything that waits, oldest first; nothing waits any longer. */
  take(): InboxItem[] {
    return this.#items.splice(0);
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
