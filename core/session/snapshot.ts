import { canonicalJson, sha256 } from "../base/mod.ts";
import { DAMAGED_EVENT } from "../journal/mod.ts";
import type { Journal } from "../journal/mod.ts";
import type { Json } from "../types/mod.ts";
import { sessionEvents } from "./events.ts";
import { SESSION_STREAM } from "./run_stream.ts";
import { emptySession } from "./state.ts";
import type { SessionState } from "./state.ts";

/** Counts up when `evolve` makes another state of the same events. */
const FOLD = 3;
const NAME = "session";
/** With more events that cannot be read, a later Lumina that can read them should fold all. */
const MAX_SKIPPED = 100;
const MIN_EVENTS = 2000;

/** What a fold starts from. */
export interface Folded {
  state: SessionState;
  /** Why events were left out, one line each. */
  skipped: string[];
}

/** Nothing folded yet. */
export function nothingFolded(): Folded {
  return { state: emptySession(), skipped: [] };
}

/**
 * True when a snapshot is worth its price: as many events as the conversation has messages came since the last one,
 * so that all snapshots of a session cost about as much as folding it once, and at least `MIN_EVENTS`.
 */
export function snapshotDue({ state, skipped }: Folded, since: number): boolean {
  return state.run === null && state.agents.every(({ status }) => status !== "running") &&
    skipped.length <= MAX_SKIPPED &&
    state.seq - since >= Math.max(MIN_EVENTS, state.messages.length);
}

/**
 * Stores the state as the journal's checkpoint, bound to the event that it ends with. Nothing may be folded into it
 * meanwhile. Rejects as the journal does.
 */
export async function putSnapshot(journal: Journal, { state, skipped }: Folded): Promise<void> {
  const { seq } = state;
  const event = await eventIdentity(journal, seq);
  if (event === undefined) return; // it ends with a damaged event, which says nothing about what came before
  const stored = { fold: foldVersion(), event, skipped, state: plain(state) };
  await journal.putCheckpoint({
    name: NAME,
    stream_id: SESSION_STREAM,
    seq,
    state: stored as unknown as Json,
  });
}

/** The state at the last snapshot; undefined when there is none that this fold could have made of this journal. */
export async function getSnapshot(journal: Journal): Promise<Folded | undefined> {
  const found = await journal.checkpoint(NAME);
  if (found === undefined) return undefined;
  // the hash of a checkpoint is right and its version is ours: its shape is what `putSnapshot` made
  const { fold, skipped, state, event } = found.state as unknown as {
    fold: string;
    skipped: string[];
    state: ReturnType<typeof plain>;
    event: string;
  };
  if (fold !== foldVersion() || await eventIdentity(journal, found.seq) !== event) return undefined;
  return {
    skipped,
    state: { ...state, seen: new Map(state.seen), versions: new Map(state.versions) },
  };
}

/** Another set of events, of their versions or of fields makes another version without anyone thinking of it. */
function foldVersion(): string {
  const shape = [...sessionEvents.versions(), "", ...Object.keys(emptySession())].sort();
  return `${FOLD}-${sha256(shape.join("\n")).slice(0, 16)}`;
}

/** The state as JSON. */
function plain(state: SessionState) {
  return {
    ...state,
    seen: [...state.seen],
    versions: [...state.versions],
  };
}

async function eventIdentity(journal: Journal, seq: number): Promise<string | undefined> {
  const [event] = await journal.read({ after: seq - 1, limit: 1 });
  if (event === undefined || event.seq !== seq || event.type === DAMAGED_EVENT) return undefined;
  return sha256(canonicalJson(event as unknown as Json));
}
