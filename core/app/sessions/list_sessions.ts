import { errorMessage, LuminaError } from "../../base/mod.ts";
import type { SessionRow } from "../../cli/mod.ts";
import { readSummary, summaryOf, writeSummary } from "../../session/mod.ts";
import type { SessionSummary } from "../../session/mod.ts";
import type { SavedSession, SessionStore } from "./session_store.ts";

export interface ListOptions {
  /** Only sessions that worked in this directory (a real path). */
  root?: string;
  archived?: boolean;
  limit?: number;
}

/**
 * The saved sessions, pinned ones first, then the newest. Reads `meta.json` alone; where that is missing, damaged or
 * left from a process that died, the journal tells. A session that cannot be read is warned of and left out.
 */
export async function listSessions(
  store: SessionStore,
  options: ListOptions,
  warn: (text: string) => void,
): Promise<{ rows: SessionRow[]; more: number }> {
  const { root, archived = false, limit = Infinity } = options;
  const found: { saved: SavedSession; summary: SessionSummary }[] = [];
  for (const id of store.ids(archived)) {
    const saved = placeOf(store, id, archived);
    if (saved === undefined) continue; // a folder that no session could have made
    const summary = await summaryOfSaved(store, saved, warn);
    if (summary !== undefined && (root === undefined || summary.cwd === root)) found.push({ saved, summary });
  }
  found.sort(({ summary: a }, { summary: b }) =>
    Number(b.pinned) - Number(a.pinned) || b.updated_ts - a.updated_ts ||
    (a.session_id < b.session_id ? -1 : 1)
  );
  const rows: SessionRow[] = [];
  for (const { saved, summary } of found.slice(0, limit)) {
    rows.push(await rowOf(store, saved, summary, warn));
  }
  return { rows, more: Math.max(0, found.length - limit) };
}

/** One session as `listSessions` has it, without a look at the others; undefined when there is nothing to read. */
export async function oneSession(
  store: SessionStore,
  saved: SavedSession,
  warn: (text: string) => void,
): Promise<SessionRow | undefined> {
  const summary = await summaryOfSaved(store, saved, warn);
  return summary === undefined ? undefined : await rowOf(store, saved, summary, warn);
}

async function summaryOfSaved(
  store: SessionStore,
  saved: SavedSession,
  warn: (text: string) => void,
): Promise<SessionSummary | undefined> {
  const summary = readSummary(saved.directory) ?? await fromJournal(store, saved, warn);
  if (summary === undefined) return undefined;
  // a fork begins with events that are older than itself
  return { ...summary, updated_ts: Math.max(summary.updated_ts, summary.created_ts) };
}

function placeOf(store: SessionStore, id: string, archived: boolean): SavedSession | undefined {
  try {
    return store.at(id, archived);
  } catch {
    return undefined; // `app_root.bad_id`: its name is no id
  }
}

/** A summary that says that the session is running may be left from a process that died. */
async function rowOf(
  store: SessionStore,
  saved: SavedSession,
  summary: SessionSummary,
  warn: (text: string) => void,
): Promise<SessionRow> {
  const open = await store.isOpen(saved);
  const current = summary.status === "running" && !open
    ? await fromJournal(store, saved, warn) ?? summary
    : summary;
  return { ...current, session_id: saved.session_id, archived: saved.archived, open };
}

/** The summary as the journal has it, written back; undefined when there is none yet, or a reason that was told. */
async function fromJournal(
  store: SessionStore,
  saved: SavedSession,
  warn: (text: string) => void,
): Promise<SessionSummary | undefined> {
  try {
    const state = await store.state(saved);
    if (state.session_id === "") return undefined;
    if (state.run !== null) {
      state.last_status = "interrupted"; // nobody owns it any more; the next open records it
      state.run = null;
    }
    writeSummary(saved.directory, state);
    return summaryOf(state);
  } catch (error) {
    // a process that died before its session was there, or one that is about to make it
    if (error instanceof LuminaError && error.code === "journal.missing") return undefined;
    const damaged = error instanceof LuminaError && error.code === "session.damaged";
    warn(damaged ? error.message : `The session ${saved.session_id} cannot be read: ${errorMessage(error)}`);
    return undefined;
  }
}
