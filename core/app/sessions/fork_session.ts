import { join } from "node:path";
import type { AppRootPaths } from "../../app_root/mod.ts";
import { makePrivateDirectory } from "../../app_root/mod.ts";
import { LuminaError, syncDirectory } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import { openJournal, readEvents, REDACTION_EVENT } from "../../journal/mod.ts";
import type { Journal } from "../../journal/mod.ts";
import { shareSnapshots } from "../../rewind/mod.ts";
import {
  cutAt,
  decide,
  emptySession,
  evolve,
  runStream,
  SESSION_STREAM,
  sessionEvents,
  writeSummary,
} from "../../session/mod.ts";
import type { Json, JsonObject, NewEvent, StoredEvent } from "../../types/mod.ts";
import { isJsonObject } from "../../types/mod.ts";
import { VERSION } from "../version.ts";
import { snapshotFile } from "./capture_hook.ts";
import { ForkPoints } from "./fork_points.ts";
import { SpilledCopies } from "./fork_spilled.ts";
import type { SavedSession, SessionStore } from "./session_store.ts";

export interface ForkOptions {
  store: SessionStore;
  app_root: AppRootPaths;
  world: World;
  parent: SavedSession;
  /** Id of the fork. */
  session_id: string;
  /**
   * A message of the conversation, or one that a rewind took back: a prompt is taken back, an answer stays. Absent: the
   * whole conversation as it now is.
   */
  at?: number;
  title?: string;
}

export interface ForkResult {
  session_id: string;
  parent_id: string;
  /** The parent's last event that the fork shares. */
  parent_seq: number;
  messages: number;
  /** Why events of the parent were left out, one line each. */
  skipped: string[];
}

/** What may name files of the session's long output. */
const SPILLING = new Set(["tool.finished", "session.compacted"]);

/** What belongs to the parent alone. */
const OWN = new Set(["session.created", "session.forked", "session.pinned", "session.repaired"]);

/**
 * Makes a session whose journal begins with copies of the parent's events, with their times, up to a cut. The parent is
 * only read; of its long tool output the fork has its own copies. A run that is open at the cut is closed by interrupted events. The fork appears at once and whole. Throws
 * `session.no_message` (exit 4), `journal.busy` while a live process owns the parent, `rewind.busy`, and the journal's
 * errors.
 */
export async function forkSession(options: ForkOptions): Promise<ForkResult> {
  const { store, app_root, parent, session_id } = options;
  const target = store.at(session_id);
  const making = join(app_root.sessionsDir, "..", `.fork-${session_id}`);
  const source = await store.openJournal(parent);
  try {
    const parent_seq = options.at === undefined ? await source.head() : await lastShared(source, options.at);
    makePrivateDirectory(making);
    const result = await copy(source, parent_seq, making, options);
    await Deno.rename(making, target.directory);
    syncDirectory(app_root.sessionsDir);
    return result;
  } catch (error) {
    await Deno.remove(making, { recursive: true }).catch(() => {}); // never made; the first error is the one to tell
    throw error;
  } finally {
    await source.close();
  }
}

/** The last event before the conversation goes on after the message `at`, or goes back to before it. */
async function lastShared(source: Journal, at: number): Promise<number> {
  const points = new ForkPoints();
  let state = emptySession();
  let before: number | undefined;
  for await (const page of readEvents(source)) {
    for (const event of page) {
      // what is taken back now can still be gone on with
      if (event.type === "session.rewound" && state.origins.includes(at)) {
        before = points.last(cutAt(state, at));
      }
      state = evolve(state, event);
      points.see(state);
    }
  }
  return before !== undefined && !state.origins.includes(at) ? before : points.last(cutAt(state, at));
}

async function copy(
  source: Journal,
  parent_seq: number,
  directory: string,
  options: ForkOptions,
): Promise<ForkResult> {
  const { world, app_root, parent, session_id } = options;
  let spilled: SpilledCopies | undefined;
  let time = world.now();
  // copies keep the times of their originals
  const journal = await openJournal(join(directory, "runtime.sqlite"), {
    create: true,
    world: { ...world, now: () => time },
  });
  let state = emptySession();
  const skipped: string[] = [];
  const versions = new Map<string, number>();
  /** The fork's number of each of the parent's events that it shares. */
  const numbers = new Map<number, number>();
  let waiting: Promise<unknown>[] = [];
  const append = (stream_id: string, ts: number, event: NewEvent) => {
    time = ts;
    const version = versions.get(stream_id) ?? 0;
    waiting.push(journal.append(stream_id, version, [event]));
    versions.set(stream_id, version + 1);
    state = evolve(state, { ...event, seq: state.seq + 1, stream_id, stream_seq: version + 1, ts });
  };
  const settle = async () => {
    const done = waiting;
    waiting = [];
    await Promise.all(done);
  };
  try {
    for await (const page of readEvents(source)) {
      for (const event of page) {
        if (event.seq > parent_seq) break;
        if (event.type === "session.created") begin(event, parent_seq);
        if (OWN.has(event.type)) continue;
        const decoded = sessionEvents.decode(event);
        if (!decoded.known && (decoded.reason === "invalid" || decoded.reason === "redacted")) {
          // there is nothing to copy; what says that something was redacted is about the parent's numbers
          if (event.type !== REDACTION_EVENT) skipped.push(decoded.problem);
          continue;
        }
        const copied = renumbered(event, numbers);
        if (SPILLING.has(event.type) && state.project_id !== "") {
          spilled ??= new SpilledCopies(
            app_root.spillDir(state.project_id, parent.session_id),
            app_root.spillDir(state.project_id, session_id),
          );
          copied.payload = spilled.take(copied.payload);
        }
        append(event.stream_id, event.ts, copied);
        numbers.set(event.seq, state.seq);
      }
      await settle();
      if (page.some(({ seq }) => seq >= parent_seq)) break;
    }
    if (state.session_id === "") throw unreadable(parent.session_id);
    const now = world.now();
    if (state.run !== null) {
      const { run_id } = state.run;
      for (const event of decide(state, { type: "interrupt_run", reason: "the session was forked here" })) {
        append(runStream(run_id), now, event);
      }
    }
    for (const { agent_id, status } of state.agents) {
      if (status !== "running") continue;
      const done = "It went on in the session that this one was forked from.";
      const ended = {
        type: "interrupt_agent",
        agent_id,
        reason: "the session was forked here",
        done,
      } as const;
      for (const event of decide(state, ended)) append(SESSION_STREAM, now, event);
    }
    if (options.title !== undefined) {
      for (const event of decide(state, { type: "set_title", title: options.title, by: "user" })) {
        append(SESSION_STREAM, now, event);
      }
    }
    await settle();
    writeSummary(directory, { ...state, updated_ts: now });
    await keepSnapshots(options, state.project_id);
    return {
      session_id,
      parent_id: parent.session_id,
      parent_seq,
      messages: state.messages.length,
      skipped,
    };
  } finally {
    await Promise.allSettled(waiting);
    await journal.close();
  }

  function begin(created: StoredEvent, seq: number): void {
    const payload = isJsonObject(created.payload) ? created.payload : {};
    const own = { ...payload, session_id, lumina_version: VERSION };
    append(SESSION_STREAM, world.now(), { ...bare(created), payload: own });
    append(
      SESSION_STREAM,
      world.now(),
      sessionEvents.encode("session.forked", {
        parent_id: parent.session_id,
        parent_seq: seq,
        message: options.at ?? null,
      }),
    );
  }
}

/** What the fork can be rewound to stays when the parent is deleted. */
async function keepSnapshots(options: ForkOptions, project_id: string): Promise<void> {
  const { app_root, parent, session_id, world } = options;
  if (project_id === "") return; // an old session that has no workspace yet
  try {
    await shareSnapshots(snapshotFile(app_root, project_id), parent.session_id, session_id, world);
  } catch (error) {
    // a store that cannot be read has nothing to go back to; a rewind says so
    if (!(error instanceof LuminaError) || error.code !== "rewind.store") throw error;
  }
}

function unreadable(parent_id: string): LuminaError {
  return new LuminaError(
    "session.unreadable",
    `Cannot fork the session ${parent_id}: its first event cannot be read (lumina session verify ${parent_id} says why)`,
  );
}

/** An event without its place in a journal. */
function bare({ type, version, payload, run_id, step_id, causation_id }: StoredEvent): NewEvent {
  return {
    type,
    version,
    payload,
    ...(run_id === undefined ? {} : { run_id }),
    ...(step_id === undefined ? {} : { step_id }),
    ...(causation_id === undefined ? {} : { causation_id }),
  };
}

/** Fields that name events of the same journal by their number. */
const NUMBERED: Readonly<Record<string, readonly string[]>> = {
  "session.rewound": ["to"],
  "session.compacted": ["from"],
  "memory.summarised": ["from", "to"],
  "memory.failed": ["from", "to"],
};

/** The event with the fork's own numbers; 0, which no event has, where the one that was meant is not in it. */
function renumbered(event: StoredEvent, numbers: ReadonlyMap<number, number>): NewEvent {
  const fields = NUMBERED[event.type];
  if (fields === undefined || !isJsonObject(event.payload)) return bare(event);
  const payload: JsonObject = { ...event.payload };
  for (const field of fields) {
    const seq: Json | undefined = payload[field];
    if (typeof seq === "number") payload[field] = numbers.get(seq) ?? 0;
  }
  return { ...bare(event), payload };
}
