import { readEvents } from "../journal/mod.ts";
import type { Journal } from "../journal/mod.ts";
import { isJsonObject } from "../types/mod.ts";
import type { Json, NewEvent, StoredEvent } from "../types/mod.ts";
import { decide, streamOf } from "./decide.ts";
import type { SessionCommand } from "./decide.ts";
import { progressText } from "./agent_record.ts";
import { evolveBeside, evolveKnown } from "./evolve.ts";
import { sessionEvents } from "./events.ts";
import type { SessionEvent } from "./events.ts";
import { emptyAgent, foldAgent } from "./fold_agent.ts";
import { foldSession } from "./fold_session.ts";
import { runStream } from "./run_stream.ts";
import { putSnapshot, snapshotDue } from "./snapshot.ts";
import type { SessionState } from "./state.ts";

/** Makes a command happen once: the same key with the same body gives the stored result. */
export interface CommandKey {
  key: string;
  request_hash: string;
  result: Json;
}

const PROCESS_ENDED = "the process ended before the run did";

/** Outcomes of what has begun: they are recorded on a nearly full disk too, where nothing new may begin. */
const ENDINGS: ReadonlySet<string> = new Set([
  "model.answered",
  "model.failed",
  "usage.recorded",
  "tool.finished",
  "tool.output_kept",
  "tool.interrupted",
  "tool.shell_started",
  "tool.shell_ended",
  "run.step_interrupted",
  "run.finished",
  "run.interrupted",
  "subagent.finished",
  "subagent.interrupted",
  "warning.raised",
]);

/** The capture of what a run leaves is a part of its end. */
function isEnding({ type, payload }: NewEvent): boolean {
  return ENDINGS.has(type) ||
    type === "checkpoint.captured" && isJsonObject(payload) && payload["moment"] === "end";
}

/**
 * One session over its journal. Commands run strictly one after the other; `state` is always what the journal has
 * committed. A failed append changes nothing.
 */
export class Session {
  #journal: Journal;
  #state: SessionState;
  #queue: Promise<unknown> = Promise.resolve();
  #now: () => number;
  /** Why events were skipped when the journal was folded, one line each; what they said is missing from `state`. */
  readonly skipped: string[];
  /** The event that the last snapshot ends with. */
  #snapshot: number;
  /** True when the process that had it before ended with something going on: a run, a sub-agent or a background shell. */
  readonly left_open: boolean;
  /** The session that a sub-agent's conversation is a part of. */
  #whole: Session | undefined;

  private constructor(
    journal: Journal,
    now: () => number,
    { state, skipped, from }: Awaited<ReturnType<typeof foldSession>>,
    whole?: Session,
  ) {
    this.#whole = whole;
    this.skipped = skipped;
    this.#journal = journal;
    this.#state = state;
    this.#now = now;
    this.#snapshot = from;
    const { agents, run, shells } = state;
    this.left_open = run !== null || shells.length > 0 || agents.some(({ status }) => status === "running");
  }

  /**
   * Folds the journal, from the last snapshot on when there is one. A run that was left open by a process that died
   * is closed by explicit interrupted events; a call that had started is marked as having an unknown outcome and never
   * runs again by itself.
   */
  static async open(journal: Journal, now: () => number): Promise<Session> {
    const session = new Session(journal, now, await foldSession(journal));
    if (session.state.run !== null) {
      await session.execute({ type: "interrupt_run", reason: PROCESS_ENDED });
    }
    await session.#endAgents();
    return session;
  }

  /** The conversation of a new sub-agent, in a stream of its own of this journal. Nothing is written before its first run. */
  newAgent(agent_id: string): Session {
    const folded = { state: emptyAgent(this.#state, agent_id), skipped: [], from: 0 };
    return new Session(this.#journal, this.#now, folded, this.#whole ?? this);
  }

  /** The conversation of an earlier sub-agent of this journal, to be gone on with; what was open in it is closed. */
  async openAgent(agent_id: string): Promise<Session> {
    const folded = await foldAgent(this.#journal, this.#state, agent_id);
    const agent = new Session(this.#journal, this.#now, folded, this.#whole ?? this);
    if (agent.state.run !== null) await agent.execute({ type: "interrupt_run", reason: PROCESS_ENDED });
    await agent.#endAgents();
    return agent;
  }

  /** Sub-agents that a process which died left working: their streams are closed, and what they had done is kept. */
  async #endAgents(): Promise<void> {
    for (const { agent_id, status } of this.#state.agents) {
      if (status !== "running") continue;
      const { state } = await this.openAgent(agent_id);
      await this.execute({
        type: "interrupt_agent",
        agent_id,
        reason: PROCESS_ENDED,
        done: progressText(state),
      });
    }
  }

  get state(): Readonly<SessionState> {
    return this.#state;
  }

  /**
   * Judges each command on the state before the first one (so they must not build on each other), commits the
   * events and folds them. Commands of one stream share one commit. Resolves when everything is on disk. Throws
   * `session.illegal`, `session.busy` or the journal's errors.
   */
  execute(...commands: SessionCommand[]): Promise<void> {
    return this.#enqueue(async () => {
      const groups: { stream: string; events: NewEvent[] }[] = [];
      for (const command of commands) {
        const stream = streamOf(this.#state, command);
        const events = decide(this.#state, command);
        const last = groups.at(-1);
        if (last?.stream === stream) last.events.push(...events);
        else groups.push({ stream, events });
      }
      for (const { stream, events } of groups) await this.#commit(stream, events);
    });
  }

  /** Like `execute` for one command that must happen once; true when it had already happened. */
  executeOnce(command: SessionCommand, once: CommandKey): Promise<{ replayed: boolean; result: Json }> {
    return this.#enqueue(async () => {
      const known = await this.#journal.command(once.key);
      if (known !== undefined) {
        // the journal compares the bodies and refuses another one under the same key
        const events = known.request_hash === once.request_hash ? [] : decide(this.#state, command);
        const replay = await this.#journal.append(streamOf(this.#state, command), "any", events, once);
        return { replayed: replay.replayed, result: replay.result ?? known.result };
      }
      await this.#commit(streamOf(this.#state, command), decide(this.#state, command), once);
      return { replayed: false, result: once.result };
    });
  }

  /**
   * Stores the state beside the events when enough of them came since the last time, so that the next opening reads
   * the rest alone. For moments without a run; does nothing most of the time and never rejects.
   */
  snapshot(): Promise<void> {
    return this.#enqueue(async () => {
      const folded = { state: this.#state, skipped: this.skipped };
      if (!snapshotDue(folded, this.#snapshot)) return;
      this.#snapshot = this.#state.seq;
      // disposable: without it the next opening folds more, and a disk that refuses it tells so at the next event
      await putSnapshot(this.#journal, folded).catch(() => {});
    });
  }

  /** The events of one run that can be read, as the journal has them; none when there is no such run. */
  async runEvents(run_id: string): Promise<SessionEvent[]> {
    const events: SessionEvent[] = [];
    for await (const page of readEvents(this.#journal, { stream_id: runStream(run_id) })) {
      for (const stored of page) {
        const decoded = sessionEvents.decode(stored);
        if (decoded.known) events.push(decoded.event);
      }
    }
    return events;
  }

  async #commit(stream: string, events: NewEvent[], once?: CommandKey): Promise<void> {
    if (events.length === 0) return;
    const expected = this.#state.versions.get(stream) ?? 0;
    const ending = events.every(isEnding);
    const options = ending ? { ...once, reserve: "use" as const } : once;
    const result = await this.#journal.append(stream, expected, events, options);
    const ts = this.#now();
    events.forEach((event, index) => {
      const stored: StoredEvent = {
        ...event,
        seq: result.first_seq + index,
        stream_id: stream,
        stream_seq: expected + index + 1,
        ts,
      };
      this.#state = evolveKnown(this.#state, stored as SessionEvent); // `decide` has just made it
      if (this.#whole !== undefined) evolveBeside(this.#whole.#state, stored);
    });
  }

  #enqueue<T>(task: () => Promise<T>): Promise<T> {
    const next = this.#queue.then(task, task);
    this.#queue = next.then(() => undefined, () => undefined);
    return next;
  }
}
