import { fromWireError } from "./journal_error.ts";
import { requestSize, type WriteOutcome, type WriteRequest } from "./write_request.ts";

/** Most writes of one transaction, and most UTF-16 units of JSON or bytes: a commit stays short. */
const BATCH_WRITES = 1000;
const BATCH_SIZE = 16 * 1024 * 1024;

/** Microtasks between a commit's answer and the next commit; enough for `await append()` inside a few async functions. */
const JOIN_TURNS = 24;

interface Waiting {
  request: WriteRequest;
  /** Makes the caller's answer of the outcome's value. */
  finish: ((value: never) => unknown) | undefined;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * Group commit: while one transaction is under way all further writes wait, and then share the next one. `commit`
 * stores a batch in one durable transaction and says what became of each write; when it rejects, the whole batch has
 * failed. Order is the order of the calls.
 */
export class WriteQueue {
  readonly #commit: (batch: WriteRequest[]) => Promise<WriteOutcome[]>;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(commit: (batch: WriteRequest[]) => Promise<WriteOutcome[]>) {
    this.#commit = commit;
  }

  /** Resolves with the outcome's value, or what `finish` makes of it, when the write is on disk. */
  add<T, R>(request: WriteRequest, finish?: (value: T) => R): Promise<R> {
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ request, finish, resolve, reject });
      this.#running ??= this.#run();
    }) as Promise<R>;
  }

  /** Resolves when nothing waits and nothing is under way. */
  async drained(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Whoever was woken by the last commit can join this one: a continuation is a few microtasks away.
      for (let turn = 0; turn < JOIN_TURNS; turn++) await null;
      const batch = this.#take();
      try {
        const outcomes = await this.#commit(batch.map(({ request }) => request));
        batch.forEach(({ finish, resolve, reject }, index) => {
          const outcome = outcomes[index]!;
          if (outcome.ok) resolve(finish === undefined ? outcome.value : finish(outcome.value as never));
          else reject(fromWireError(outcome.error));
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running = undefined;
  }

  #take(): Waiting[] {
    let size = 0;
    let count = 0;
    while (count < this.#waiting.length && count < BATCH_WRITES && size < BATCH_SIZE) {
      size += requestSize(this.#waiting[count++]!.request);
    }
    return this.#waiting.splice(0, count);
  }
}
