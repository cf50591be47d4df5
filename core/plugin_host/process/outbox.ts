import type { WorkerMessage } from "../../plugin_api/mod.ts";

/** Small pieces of text of one call are sent together, at most this often, milliseconds. */
const WINDOW_MS = 20;
/** From so many characters on they are sent at once. */
const LARGE = 64 * 1024;
/** Characters of progress in one window; people could not read more. */
const MAX_PROGRESS = 16 * 1024;

interface Gathered {
  progress: string;
  chunk: string;
  since: number;
}

/**
 * The messages of a pack's worker on their way out. What a tool writes line by line becomes few messages; the order of each
 * call's own messages is kept.
 */
export class Outbox {
  #post: (message: WorkerMessage) => void;
  #gathered = new Map<number, Gathered>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(post: (message: WorkerMessage) => void) {
    this.#post = post;
  }

  push(message: WorkerMessage): void {
    if (message.type === "chunk" || message.type === "progress") return this.#gather(message);
    if ("id" in message) this.#flush(message.id);
    else for (const id of [...this.#gathered.keys()]) this.#flush(id);
    this.#post(message);
  }

  #gather({ type, id, text }: WorkerMessage & { type: "chunk" | "progress" }): void {
    let gathered = this.#gathered.get(id);
    if (gathered === undefined) {
      this.#gathered.set(id, gathered = { progress: "", chunk: "", since: performance.now() });
    }
    if (type === "chunk") gathered.chunk += text;
    else if (gathered.progress.length < MAX_PROGRESS) gathered.progress += text.slice(0, MAX_PROGRESS);
    // a tool that never pauses leaves no time for the timer
    const due = gathered.chunk.length >= LARGE || performance.now() - gathered.since >= WINDOW_MS;
    if (due) return this.#flush(id);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const id of [...this.#gathered.keys()]) this.#flush(id);
    }, WINDOW_MS);
  }

  #flush(id: number): void {
    const gathered = this.#gathered.get(id);
    if (gathered === undefined) return;
    this.#gathered.delete(id);
    if (gathered.progress !== "") this.#post({ type: "progress", id, text: gathered.progress });
    if (gathered.chunk !== "") this.#post({ type: "chunk", id, text: gathered.chunk });
  }
}
