import { summarise, SUMMARY_TOKENS } from "../../agent/mod.ts";
import { errorMessage } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Settings } from "../../config/mod.ts";
import { readEvents } from "../../journal/mod.ts";
import type { Journal } from "../../journal/mod.ts";
import type { ModelOptions, OpenModel } from "../../model/mod.ts";
import { SessionHistory } from "../../session/mod.ts";
import type { HistoryMessage, Session } from "../../session/mod.ts";

/** How long a program that could end waits for a summary that is being written. */
const CLOSE_GRACE_MS = 5_000;

export interface SessionMemoryDeps {
  session: Session;
  journal: Journal;
  world: World;
  settings(): Settings;
  makeModel(adjust: (options: ModelOptions) => ModelOptions): Promise<OpenModel>;
  /** What the summary's model is told about its task. */
  prompt(): Promise<string>;
  warn(text: string): void;
  /** The session has changed: its `meta.json` is old. */
  changed(): void;
}

/**
 * Keeps the history of a session: every `session_memory_turn_interval` prompts the stretch since the last summary is
 * summarised beside the work. One summary at a time; nothing that happens here stops or delays a run. A summary that was
 * cut off because the program ended is written beside the next run; one that failed, with the next stretch.
 */
export class SessionMemory {
  readonly #deps: SessionMemoryDeps;
  #job: Promise<void> | undefined;
  readonly #end = new AbortController();

  constructor(deps: SessionMemoryDeps) {
    this.#deps = deps;
  }

  /** Begins a summary when one is due and none is being written. The signal ends it without a trace. */
  start(signal: AbortSignal): void {
    if (this.#job !== undefined || signal.aborted || this.#end.signal.aborted || !this.#due()) return;
    const { to } = this.#deps.session.state.memory;
    this.#job = this.#write(to, this.#boundary(), AbortSignal.any([signal, this.#end.signal])).finally(() => {
      this.#job = undefined;
    });
  }

  /** Waits a few seconds for the summary that is being written, then ends it. No other begins after this. */
  async finish(): Promise<void> {
    const job = this.#job;
    if (job === undefined) return this.#end.abort();
    const waiting = new AbortController();
    const grace = this.#deps.world.sleep(CLOSE_GRACE_MS, waiting.signal).catch(() => {}); // ended early: the job was faster
    await Promise.race([job, grace]);
    waiting.abort();
    this.#end.abort();
    await job;
  }

  #due(): boolean {
    const interval = this.#deps.settings().session_memory_turn_interval;
    const { run, memory } = this.#deps.session.state;
    const answered = memory.prompts.length - (run === null ? 0 : 1);
    return interval > 0 && answered - memory.tried >= interval;
  }

  /** The last event of the stretch: what an open run says belongs to the next one. */
  #boundary(): number {
    const { run, memory, seq } = this.#deps.session.state;
    return run === null ? seq : (memory.prompts.at(-1) ?? seq + 1) - 1;
  }

  /** Never throws: what goes wrong is recorded and told. */
  async #write(after: number, until: number, signal: AbortSignal): Promise<void> {
    const { session, world } = this.#deps;
    try {
      const stretch = (await this.#messages(after)).filter(({ seq }) => seq <= until);
      const [first, last] = [stretch[0], stretch.at(-1)];
      if (first === undefined || last === undefined) return;
      const range = { from: first.seq, to: last.seq };
      const model = await this.#deps.makeModel((options) => this.#options(options));
      try {
        const outcome = await summarise({ model, world, system: await this.#deps.prompt() }, stretch, signal);
        if (outcome.ok) {
          const { summary, spent } = outcome;
          await session.execute({ type: "note_summary", ...range, ...summary, ...spent });
          if (session.state.title_by === "prompt") {
            await session.execute({ type: "set_title", title: summary.title, by: "auto" });
          }
        } else {
          const text = `No summary was written for the session's history: ${outcome.reason}`;
          const { reason, spent } = outcome;
          await session.execute({ type: "note_summary_failure", ...range, reason, spent }, {
            type: "warn",
            text,
          });
          this.#deps.warn(text);
        }
        this.#deps.changed();
      } finally {
        model.close();
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#deps.warn(`No summary was written for the session's history: ${errorMessage(error)}`);
    }
  }

  async #messages(after: number): Promise<HistoryMessage[]> {
    const history = new SessionHistory();
    for await (const page of readEvents(this.#deps.journal, { after })) {
      for (const event of page) history.add(event);
    }
    return history.messages;
  }

  #options(options: ModelOptions): ModelOptions {
    const model = this.#deps.settings().session_memory_model;
    const limit = { max_output_tokens: SUMMARY_TOKENS };
    return {
      ...options,
      primary: { ...options.primary, ...(model ? { model } : {}), ...limit },
      ...(options.fallback === undefined ? {} : { fallback: { ...options.fallback, ...limit } }),
    };
  }
}
