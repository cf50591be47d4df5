import type { Json, StoredEvent } from "../types/mod.ts";
import type { Journal } from "./journal.ts";
import { readEvents } from "./read_events.ts";

/** How a projection is made of events. */
export interface ProjectionOptions<S extends Json> {
  /** Unique in the journal. */
  name: string;
  /** To be raised whenever `fold` gives other states: the stored one is then made again from the events. */
  version: number;
  initial: () => S;
  /** May change and return the given state. Events that cannot be read come as `DAMAGED_EVENT` and `REDACTED_EVENT`. */
  fold: (state: S, event: StoredEvent) => S;
  /** Only the events of this stream. */
  stream_id?: string;
}

/**
 * A state that is folded from the events of a journal and kept in it, so that a later start goes on where the last one
 * stopped. What is kept is disposable: one of another version, a damaged one and one that does not belong to these events
 * is made again.
 */
export class Projection<S extends Json> {
  readonly #journal: Journal;
  readonly #options: ProjectionOptions<S>;
  #state: S;
  #seq: number;
  /** True when there was nothing to go on from. */
  readonly rebuilt: boolean;

  private constructor(
    journal: Journal,
    options: ProjectionOptions<S>,
    stored: { seq: number; state: S } | undefined,
  ) {
    this.#journal = journal;
    this.#options = options;
    this.#state = stored?.state ?? options.initial();
    this.#seq = stored?.seq ?? 0;
    this.rebuilt = stored === undefined;
  }

  /** The projection up to the end of the journal. Throws the journal's errors. */
  static async open<S extends Json>(journal: Journal, options: ProjectionOptions<S>): Promise<Projection<S>> {
    const stored = await journal.projection(options.name);
    const usable = stored?.version === options.version
      ? { seq: stored.seq, state: stored.state as S }
      : undefined;
    const projection = new Projection(journal, options, usable);
    await projection.catchUp();
    return projection;
  }

  get state(): S {
    return this.#state;
  }

  /** The last event that `state` contains. */
  get seq(): number {
    return this.#seq;
  }

  /** Folds what has been appended since. Calls must not overlap. */
  async catchUp(): Promise<void> {
    const { stream_id, fold } = this.#options;
    const head = await this.#journal.head();
    const only = stream_id === undefined ? {} : { stream_id };
    for await (const page of readEvents(this.#journal, { after: this.#seq, ...only })) {
      for (const event of page) {
        this.#state = fold(this.#state, event);
        this.#seq = event.seq;
      }
    }
    this.#seq = Math.max(this.#seq, head); // later events of other streams are none of its own
  }

  /** Keeps the state in the journal. */
  async save(): Promise<void> {
    const { name, version } = this.#options;
    await this.#journal.putProjection({ name, version, seq: this.#seq, state: this.#state });
  }
}
