import { LuminaError } from "../../base/mod.ts";
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
  #closed = false;

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
    this.#closed = true;
    this.#wake();
  }

  #wait(n: number, ended: boolean): Promise<RecordedRequest> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ n, ended, resolve, reject });
      this.#wake();
    });
  }

  #wake(): void {
    this.#waiters = this.#waiters.filter((waiter) => {
      const request = this.requests[waiter.n - 1];
      if (request !== undefined && (!waiter.ended || request.outcome !== "open")) {
        waiter.resolve(request);
        return false;
      }
      if (!this.#closed) return true;
      const seen = this.requests.length;
      waiter.reject(
        new LuminaError(
          "model.script_closed",
          `Cannot wait for request ${waiter.n}: the provider closed after ${seen}`,
        ),
      );
      return false;
    });
  }
}
