import { join } from "node:path";
import { makePrivateDirectory } from "../../app_root/mod.ts";
import type { AppRootPaths } from "../../app_root/mod.ts";
import { loadNativeHash, LuminaError } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { RepairedSession, RepairPort, VerifiedSession } from "../../cli/mod.ts";
import { finishRepair, readEvents, repairJournal } from "../../journal/mod.ts";
import type { Journal } from "../../journal/mod.ts";
import {
  emptySession,
  evolve,
  readSummary,
  SESSION_STREAM,
  sessionEvents,
  summaryOf,
  writeSummary,
} from "../../session/mod.ts";
import type { SessionState } from "../../session/mod.ts";
import type { NewEvent } from "../../types/mod.ts";
import { knownEvents, missingTail } from "./damaged_session.ts";
import type { SavedSession, SessionStore } from "./session_store.ts";

/** Most lost lines that the event of a repair holds; the report shows all. */
const TOLD = 20;

/** Checks and repairs saved sessions. Damaged files are kept under `data/sessions/backup/<id>-<time>`. */
export function repairPort(store: SessionStore, app_root: AppRootPaths, world: World): RepairPort {
  return {
    async *verify(id) {
      if (id !== undefined) {
        yield shown(await verifySaved(store, store.find(id)));
        return;
      }
      for (const archived of [false, true]) {
        for (const name of store.ids(archived).toSorted()) {
          const verified = await verifyEvenIfOpen(store, name, archived);
          if (verified !== undefined) yield verified;
        }
      }
    },
    async repair(id) {
      const saved = store.find(id);
      await finishRepair(saved.journal_file);
      const verified = await verifySaved(store, saved);
      const { session_id, problems } = verified;
      const found = {
        session_id,
        problems,
        events: verified.events,
        saved: verified.events,
        lost: [],
        notes: [],
      };
      if (verified.ok) return { ...found, repaired: false, backup: null };
      if (verified.derived) {
        await summarise(store, saved);
        const notes = ["meta.json is made anew; the journal was whole"];
        return { ...found, notes, repaired: true, backup: null };
      }
      return {
        ...found,
        repaired: true,
        ...await remade(saved, app_root, world, store).catch(hopeless(saved)),
      };
    },
  };
}

/** Says of damage that leaves nothing to save, or of a file of another program, what was done: nothing. */
function hopeless({ session_id }: SavedSession): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof LuminaError) || error.code !== "journal.corrupt") throw error;
    const what = /is damaged \((.*?)\); /.exec(error.message)?.[1] ?? error.message;
    throw new LuminaError(
      "session.lost",
      `The session ${session_id} cannot be repaired: ${what}; its files are as they were ` +
        `(lumina session delete ${session_id} removes them)`,
      { cause: error },
    );
  };
}

/** Makes the journal and its summary anew. */
async function remade(
  saved: SavedSession,
  app_root: AppRootPaths,
  world: World,
  store: SessionStore,
): Promise<Pick<RepairedSession, "events" | "saved" | "lost" | "notes" | "backup">> {
  const backup = backupDir(saved, app_root, world);
  const rescued = await repairJournal(saved.journal_file, {
    world,
    backup_dir: backup,
    at_least: knownEvents(saved),
    placeholder: (lost, seq) => seq === 1 ? created(saved) : sessionEvents.encode("session.event_lost", lost),
    note: ({ lost }) => ({
      stream_id: SESSION_STREAM,
      event: sessionEvents.encode("session.repaired", {
        lost: lost.length <= TOLD ? lost : [...lost.slice(0, TOLD), `and ${lost.length - TOLD} more`],
        backup,
      }),
    }),
  });
  await keepSummary(saved, backup);
  await summarise(store, saved);
  const { events, saved: kept, lost, notes } = rescued;
  return { events, saved: kept, lost, notes, backup };
}

/** The first event of every session; when it is lost, what the summary knows of it. */
function created(saved: SavedSession): NewEvent {
  const summary = readSummary(saved.directory);
  return sessionEvents.encode("session.created", {
    session_id: saved.session_id,
    project_id: summary?.project_id ?? "",
    cwd: summary?.cwd ?? "",
    lumina_version: "unknown",
    origin: "headless",
  });
}

function backupDir(saved: SavedSession, app_root: AppRootPaths, world: World): string {
  const parent = join(app_root.dataDir, "sessions", "backup");
  makePrivateDirectory(parent);
  const time = new Date(world.now()).toISOString().replaceAll(/[-:]|\..*/g, "");
  return join(parent, `${saved.session_id}-${time}Z-${world.uuid().slice(0, 4)}`);
}

async function keepSummary(saved: SavedSession, backup: string): Promise<void> {
  try {
    await Deno.copyFile(join(saved.directory, "meta.json"), join(backup, "meta.json"));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function summarise(store: SessionStore, saved: SavedSession): Promise<void> {
  const state = await store.state(saved);
  writeSummary(saved.directory, state);
}

type Verified = VerifiedSession & {
  /** Only what is made from the journal is wrong. */
  derived: boolean;
};

async function verifyEvenIfOpen(
  store: SessionStore,
  id: string,
  archived: boolean,
): Promise<VerifiedSession | undefined> {
  try {
    return shown(await verifySaved(store, store.at(id, archived)));
  } catch (error) {
    if (!(error instanceof LuminaError)) throw error;
    if (error.code === "app_root.bad_id") return undefined; // a folder that no session could have made
    // its process died before it was there
    if (error.code === "session.not_found" || error.code === "journal.missing") return undefined;
    if (error.code === "journal.busy") {
      return { session_id: id, ok: true, events: 0, problems: [], open: true };
    }
    return { session_id: id, ok: false, events: 0, problems: [error.message] };
  }
}

function shown({ derived: _derived, ...verified }: Verified): VerifiedSession {
  return verified;
}

/** Everything about one session. Throws `journal.busy`. */
async function verifySaved(store: SessionStore, saved: SavedSession): Promise<Verified> {
  const { session_id } = saved;
  let journal: Journal;
  try {
    journal = await store.openJournal(saved);
  } catch (error) {
    if (!(error instanceof LuminaError) || error.code !== "session.damaged") throw error;
    const what = /is damaged \((.*)\): run/.exec(error.message)?.[1] ?? error.message;
    return { session_id, ok: false, events: 0, problems: [what], derived: false };
  }
  try {
    await loadNativeHash(); // everything is hashed
    const { events, problems } = await journal.verify();
    const known = knownEvents(saved);
    const head = await journal.head();
    if (known > head) problems.push(missingTail(known, head));
    if (problems.length > 0) return { session_id, ok: false, events, problems, derived: false };
    const derived = await derivedProblems(saved, journal);
    return { session_id, ok: derived.length === 0, events, problems: derived, derived: derived.length > 0 };
  } finally {
    await journal.close();
  }
}

/** Whether what is derived from a sound journal agrees with it. */
async function derivedProblems(saved: SavedSession, journal: Journal): Promise<string[]> {
  const problems: string[] = [];
  let state: SessionState = emptySession();
  for await (const page of readEvents(journal)) for (const event of page) state = evolve(state, event);
  const summary = readSummary(saved.directory);
  if (summary === undefined || summary.seq !== state.seq) return problems; // lists look at the journal then
  const truth = summaryOf(state);
  for (const name of ["session_id", "cwd", "runs", "turns", "messages", "tokens", "pinned"] as const) {
    if (summary[name] !== truth[name]) {
      problems.push(
        `meta.json: ${name} is ${JSON.stringify(summary[name])}, in the journal ${
          JSON.stringify(truth[name])
        }`,
      );
    }
  }
  return problems;
}
