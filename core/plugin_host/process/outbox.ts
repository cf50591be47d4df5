import type { WorkerMessage } from "../../plugin_api/mod.ts";
import { encodeFrame } from "./frames.ts";

/** Small pieces of text of one call are sent together, at most this often, milliseconds. */
const WINDOW_MS = 20;
/** From so many characters on they are sent at once. */
const LARGE = 64 * 1024;
/** Characters of progress in one window; people could not read more. */
const MAX_PROGRESS = 16 * 1024;

interface Gathered {
  progress: string;
  chunk: string;
}

/**
 * The messages of a pack's worker on their way out. What a tool writes line by line becomes few messages; the order of each
 * call's own messages is kept. Whatever cannot be JSON becomes an error result, or is left out where there is none.
 */
export class Outbox {
  #write: (frame: Uint8Array) => void;
  #gathered = new Map<number, Gathered>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(write: (frame: Uint8Array) => void) {
    this.#write = write;
  }

  push(message: WorkerMessage): void {
    if (message?.type === "chunk" || message?.type === "progress") return this.#gather(message);
    const id = (message as { id?: unknown } | undefined)?.id;
    if (typeof id === "number") this.#flush(id);
    else this.flush();
    this.#send(message);
  }

  /** Sends everything that was gathered. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const id of [...this.#gathered.keys()]) this.#flush(id);
  }

  #gather({ type, id, text }: WorkerMessage & { type: "chunk" | "progress" }): void {
    if (typeof id !== "number" || typeof text !== "string") return this.#send({ type, id, text });
    let gathered = this.#gathered.get(id);
    if (gathered === undefined) this.#gathered.set(id, gathered = { progress: "", chunk: "" });
    if (type === "chunk") gathered.chunk += text;
    else if (gathered.progress.length < MAX_PROGRESS) gathered.progress += text.slice(0, MAX_PROGRESS);
    if (gathered.chunk.length >= LARGE) this.#flush(id);
    else this.#timer ??= setTimeout(() => this.flush(), WINDOW_MS);
  }

  #flush(id: number): void {
    const gathered = this.#gathered.get(id);
    if (gathered === undefined) return;
    this.#gathered.delete(id);
    if (gathered.progress !== "") this.#send({ type: "progress", id, text: gathered.progress });
    if (gathered.chunk !== "") this.#send({ type: "chunk", id, text: gathered.chunk });
  }

  #send(message: WorkerMessage): void {
    try {
      this.#write(encodeFrame(message));
    } catch (error) {
      if (message.type !== "outcome") return; // the call's own result tells its author, or its time limit does
      const why = error instanceof Error ? error.message : String(error);
      this.#write(encodeFrame({
        ...message,
        outcome: { content: `The result is no JSON: ${why}`, is_error: true },
      }));
    }
  }
}
