import { join } from "node:path";
import type { AppRootPaths } from "../app_root/mod.ts";
import { errorMessage, LuminaError } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import type { SessionRow } from "../cli/mod.ts";
import { openJournal, readEvents } from "../journal/mod.ts";
import { emptySession, evolve, listSessions, readSummary, summaryOf, writeSummary } from "../session/mod.ts";
import type { SessionSummary } from "../session/mod.ts";

/**
 * All sessions, newest first. A session whose summary is missing, or says that it is running, is looked up in its
 * journal; one that cannot be read is named in a warning and left out.
 */
export async function allSessions(
  app_root: AppRootPaths,
  world: World,
  warn: (text: string) => void,
): Promise<SessionRow[]> {
  const { sessions, unreadable } = listSessions(app_root.sessionsDir);
  const rows: SessionSummary[] = [];
  for (const summary of sessions) rows.push(await current(summary, app_root, world, warn));
  for (const id of unreadable) {
    const summary = await fromJournal(app_root, id, world, warn);
    if (summary !== undefined) rows.push(summary);
  }
  return rows.sort((a, b) => b.updated_ts - a.updated_ts || (a.session_id < b.session_id ? -1 : 1));
}

/** One session as `allSessions` has it, without a look at the others; undefined when there is nothing to read. */
export async function oneSession(
  id: string,
  app_root: AppRootPaths,
  world: World,
  warn: (text: string) => void,
): Promise<SessionRow | undefined> {
  const summary = readSummary(app_root.sessionDir(id));
  if (summary === undefined) return await fromJournal(app_root, id, world, warn);
  return await current(summary, app_root, world, warn);
}

/** A summary that says that the session is running may be left from a process that died. */
async function current(
  summary: SessionSummary,
  app_root: AppRootPaths,
  world: World,
  warn: (text: string) => void,
): Promise<SessionSummary> {
  if (summary.status !== "running") return summary;
  return await fromJournal(app_root, summary.session_id, world, warn) ?? summary;
}

/** The summary as the journal has it, written back; undefined when the journal is owned by a live process or empty. */
async function fromJournal(
  app_root: AppRootPaths,
  id: string,
  world: World,
  warn: (text: string) => void,
): Promise<SessionSummary | undefined> {
  const directory = app_root.sessionDir(id);
  try {
    const journal = await openJournal(join(directory, "runtime.sqlite"), { readonly: true, world });
    try {
      let state = emptySession();
      for await (const page of readEvents(journal)) for (const event of page) state = evolve(state, event);
      if (state.session_id === "") return undefined;
      if (state.run !== null) {
        state.last_status = "interrupted"; // nobody owns it any more; the next open records it
        state.run = null;
      }
      writeSummary(directory, state);
      return summaryOf(state);
    } finally {
      await journal.close();
    }
  } catch (error) {
    if (error instanceof LuminaError && (error.code === "journal.busy" || error.code === "journal.missing")) {
      return undefined;
    }
    warn(`The session ${id} cannot be read: ${errorMessage(error)}`);
    return undefined;
  }
}
