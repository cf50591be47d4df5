import { readEvents } from "../../../journal/mod.ts";
import type { Journal } from "../../../journal/mod.ts";
import type { RecordedRequest, Recording, ReplayRecord } from "../../../model/mod.ts";
import { agentOf, emptySession, evolve, sessionEvents } from "../../../session/mod.ts";
import type { SessionEvent, SessionState } from "../../../session/mod.ts";
import { NO_USAGE } from "../../../types/mod.ts";
import { streamedAnswer } from "./streamed_answer.ts";

/** A recording, and what about the session cannot be replayed. */
export interface RecordedSession {
  recording: Recording;
  warnings: string[];
}

interface Kept {
  /** Messages of the conversation before it. */
  at: number;
  record: ReplayRecord;
}

/**
 * The requests of a session with their answers, made again from its journal: what an interrupted or failed run asked
 * stands with its failure, what was taken back by a rewind is left out.
 */
export async function recordSession(journal: Journal): Promise<RecordedSession> {
  const recorder = new Recorder();
  for await (const page of readEvents(journal)) {
    for (const event of page) {
      if (agentOf(event.stream_id) !== "") continue;
      const decoded = sessionEvents.decode(event);
      if (decoded.known) recorder.before(decoded.event);
      else recorder.warnings.push(decoded.problem);
      recorder.state = evolve(recorder.state, event);
      if (decoded.known && decoded.event.type === "session.rewound") recorder.rewound(decoded.event);
    }
  }
  return recorder.result();
}

class Recorder {
  state: SessionState = emptySession();
  readonly warnings: string[] = [];
  #prompts: { at: number; text: string }[] = [];
  #kept: Kept[] = [];
  #tools: string[] = [];
  /** A request was made and nothing has come of it yet. */
  #waiting = false;

  /** Sees an event before it is folded: the state is then what its request was made of. */
  before(event: SessionEvent): void {
    switch (event.type) {
      case "run.started":
        this.#tools = event.payload.tools;
        this.#prompts.push({ at: this.state.messages.length, text: event.payload.prompt });
        this.#waiting = true;
        break;
      case "run.steered":
        this.warnings.push("a message was typed while a run went on: a replay does not have it");
        break;
      case "run.step_started":
        this.#waiting = true;
        break;
      case "model.answered":
        this.#add({ events: streamedAnswer(event.payload, NO_USAGE) });
        break;
      case "usage.recorded":
        if ((event.payload.chain ?? "main") === "main") this.#priceLast(event.payload.usage);
        break;
      case "model.failed":
        // a conversation that is too long never reaches the model
        if (event.payload.error.code === "model.window_overflow") this.#waiting = false;
        else this.#fail(event.payload.error, event.payload.partial);
        break;
      case "run.finished":
      case "run.interrupted": {
        if (!this.#waiting) break;
        const reason = event.type === "run.finished"
          ? event.payload.error?.message ?? event.payload.status
          : event.payload.reason;
        this.#fail({ code: "model.aborted", message: reason }, null);
        break;
      }
      case "session.message_imported":
        if (this.#kept.length === 0 && this.state.messages.length === 0) {
          this.warnings.push("the session began with imported messages, which a replay does not have");
        }
        break;
    }
  }

  /** What the rewind took back is not asked again. */
  rewound({ seq, payload }: SessionEvent & { type: "session.rewound" }): void {
    if (payload.scope === "files") return;
    const { messages, origins } = this.state;
    const noted = origins.at(-1) === seq;
    const length = noted ? messages.length - 1 : messages.length;
    this.#kept = this.#kept.filter(({ at }) => at < length);
    this.#prompts = this.#prompts.filter(({ at }) => at < length);
    if (noted) {
      this.warnings.push("the session was rewound into the middle of a run, from where on a replay differs");
    }
  }

  result(): RecordedSession {
    const { session_id, model } = this.state;
    const recording = {
      session_id,
      model,
      prompts: this.#prompts.map(({ text }) => text),
      records: this.#kept.map(({ record }) => record),
    };
    return { recording, warnings: this.warnings };
  }

  #add(answer: Pick<ReplayRecord, "events" | "error">): void {
    const { system, messages } = this.state;
    const request: RecordedRequest = { system, messages: [...messages], tools: this.#tools };
    this.#kept.push({ at: messages.length, record: { request, ...answer } });
    this.#waiting = false;
  }

  #fail(
    { code, message }: { code: string; message: string },
    partial: NonNullable<ReplayRecord["error"]>["partial"],
  ): void {
    this.#add({ events: [], error: { code, message, partial } });
  }

  /** What an answer used is recorded after it. */
  #priceLast(usage: typeof NO_USAGE): void {
    for (const event of this.#kept.at(-1)?.record.events ?? []) {
      if (event.type === "start" || event.type === "done") event.usage = usage;
    }
  }
}
