import type { SessionState } from "../../session/mod.ts";

/**
 * Up to which event a conversation had a given length, while the session is folded event by event. A conversation is a
 * stack, so its length and the number of its last message say which one it was: what was rewound and said anew counts
 * for itself.
 */
export class ForkPoints {
  readonly #points: { origin: number; last: number }[] = [{ origin: 0, last: 0 }];
  /** Length and last message at the event before. */
  #current = { length: 0, origin: 0 };

  /** Takes note of the state after one more event. */
  see({ origins, seq }: Readonly<Pick<SessionState, "origins" | "seq">>): void {
    const { length } = origins;
    const origin = origins[length - 1] ?? 0;
    const stays = length === this.#current.length && origin === this.#current.origin;
    const point = this.#points[length];
    if (point === undefined || point.origin !== origin) this.#points[length] = { origin, last: seq };
    // a later return to the same conversation is not part of the first stretch
    else if (stays && point.last === seq - 1) point.last = seq;
    this.#current = { length, origin };
  }

  /** The last event of the stretch in which the conversation was its first `length` messages. */
  last(length: number): number {
    return this.#points[length]?.last ?? 0;
  }
}
