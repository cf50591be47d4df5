import { LuminaError, type World } from "../../base/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import type { Wire } from "./wire_request.ts";

/** How an answer ended: sent in full, broken by a fault, or left by the client. */
export type AnswerOutcome = "complete" | "cut" | "gone";

/** A model request as it arrived. */
export interface RecordedRequest {
  /** From 1, in order of arrival. */
  readonly n: number;
  readonly wire: Wire;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body; empty when it was no JSON object. */
  readonly body: JsonObject;
  /** The exact body. */
  readonly raw: string;
  /** Monotonic milliseconds at which the whole request was there. */
  readonly at_ms: number;
  /** `open` until the answer has ended. */
  readonly outcome: "open" | AnswerOutcome;
}

/** How long a waiter waits before it says what has come so far, milliseconds: a test fails then instead of hanging. */
const PATIENCE_MS = 60_000;

type Waiter = {
  n: number;
  ended: boolean;
  resolve(request: RecordedRequest): void;
  reject(error: Error): void;
};
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The requests of one provider, and those who wait for them. */
export class RequestLog {
  readonly requests: RecordedRequest[] = [];
  #waiters: Waiter[] = [];
  readonly #over = new AbortController();

  constructor(private readonly world: World) {}

  add(
    request: Omit<RecordedRequest, "n" | "outcome" | "body"> & { body: JsonObject | null },
  ): RecordedRequest {
    const recorded: RecordedRequest = {
      ...request,
      body: request.body ?? {},
      n: this.requests.length + 1,
      outcome: "open",
    };
    this.requests.push(recorded);
    this.#wake();
    return recorded;
  }

  end(n: number, outcome: AnswerOutcome): void {
    const request: Mutable<RecordedRequest> | undefined = this.requests[n - 1];
    if (request !== undefined) request.outcome = outcome;
    this.#wake();
  }

  arrived(n: number): Promise<RecordedRequest> {
    return this.#wait(n, false);
  }

  ended(n: number): Promise<RecordedRequest> {
    return this.#wait(n, true);
  }

  close(): void {
    this.#over.abort();
    for (const waiter of this.#waiters) waiter.reject(this.#missing(waiter.n, "the provider closed"));
    this.#waiters = [];
  }

  async #wait(n: number, ended: boolean): Promise<RecordedRequest> {
    const { promise, resolve, reject } = Promise.withResolvers<RecordedRequest>();
    if (this.#over.signal.aborted) throw this.#missing(n, "the provider closed");
    this.#waiters.push({ n, ended, resolve, reject });
    this.#wake();
    const settled = new AbortController();
    this.world.sleep(PATIENCE_MS, settled.signal).then(
      () => reject(this.#missing(n, `${PATIENCE_MS / 1000} s have passed`)),
      () => {}, // settled before
    );
    try {
      return await promise;
    } finally {
      settled.abort();
    }
  }

  #wake(): void {
    this.#waiters = this.#waiters.filter((waiter) => {
      const request = this.requests[waiter.n - 1];
      if (request === undefined || (waiter.ended && request.outcome === "open")) return true;
      waiter.resolve(request);
      return false;
    });
  }

  #missing(n: number, why: string): LuminaError {
    const seen = this.requests.length;
    return new LuminaError(
      "model.script_waited",
      `Cannot wait for request ${n}: ${why} after ${seen} requests`,
    );
  }
}
