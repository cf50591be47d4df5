import { serviceFailure } from "./service_failure.ts";

/** Calls that are counted at a time; the oldest are long over. */
const MOST_CALLS = 1_000;

/** Counts what each call has asked for. */
export class RequestQuota {
  readonly #counts = new Map<string, number>();

  /** One more of `what` in a call; throws `quota` beyond `limit`. */
  take(call_id: string, what: string, limit: number): void {
    const key = `${call_id} ${what}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    if (count > limit) throw serviceFailure("quota", `At most ${limit} ${what} in one call`);
    this.#counts.set(key, count);
    if (this.#counts.size <= MOST_CALLS) return;
    const [oldest] = this.#counts.keys();
    if (oldest !== undefined) this.#counts.delete(oldest);
  }
}
