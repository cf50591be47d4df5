import { join } from "node:path";
import { makePrivateDirectory } from "../../app_root/mod.ts";
import type { AppRootPaths } from "../../app_root/mod.ts";
import { EXIT, LuminaError, nearest } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import { openJournal, readEvents } from "../../journal/mod.ts";
import type { Journal } from "../../journal/mod.ts";
import { emptySession, evolve, Session, writeSummary } from "../../session/mod.ts";
import type { SessionState } from "../../session/mod.ts";
import { assertWhole, openIntact, sessionFailure } from "./damaged_session.ts";
import { journalPlace } from "./journal_place.ts";
import type { IntactJournal } from "./damaged_session.ts";
import { fileSize } from "./storage_size.ts";
import { adoptFlatSessions } from "./legacy/adopt_flat_sessions.ts";
import { needsImport } from "./legacy/legacy_files.ts";

/** Where one saved session lies. */
export interface SavedSession {
  session_id: string;
  directory: string;
  /** `runtime.sqlite`: the truth about it. */
  journal_file: string;
  archived: boolean;
}

/** At most this many ids are offered in place of an unknown one. */
const OFFERED = 3;
/** A shorter beginning of an id names no session. */
const SHORTEST = 4;

/** The sessions kept under one app root, as files. */
export class SessionStore {
  readonly #app_root: AppRootPaths;
  readonly #world: World;

  constructor(app_root: AppRootPaths, world: World) {
    this.#app_root = app_root;
    this.#world = world;
  }

  /** The ids of all sessions; archived ones only when asked for. */
  ids(archived = false): string[] {
    const folder = archived ? this.#app_root.archiveDir : this.#app_root.sessionsDir;
    try {
      let entries = [...Deno.readDirSync(folder)];
      if (!archived && adoptFlatSessions(this.#app_root, entries)) entries = [...Deno.readDirSync(folder)];
      return entries.filter((entry) => entry.isDirectory).map(({ name }) => name);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  }

  /** Where a session of this id lies, whether there is one or not. Throws `app_root.bad_id` for what is no id. */
  at(session_id: string, archived = false): SavedSession {
    const active = this.#app_root.sessionDir(session_id);
    const directory = archived ? join(this.#app_root.archiveDir, session_id) : active;
    return { session_id, directory, journal_file: join(directory, "runtime.sqlite"), archived };
  }

  /**
   * The session that a person names by its id or by an unambiguous beginning of at least four characters. Throws
   * `session.not_found` (exit 4), which lists the nearest ids, `session.ambiguous` or `app_root.bad_id` (exit 2).
   */
  find(name: string): SavedSession {
    this.at(name); // a path is no id
    const places = [false, true].map((archived) => ({ archived, ids: this.ids(archived) }));
    for (const { archived, ids } of places) if (ids.includes(name)) return this.at(name, archived);
    const fitting = name.length < SHORTEST
      ? []
      : places.flatMap(({ archived, ids }) =>
        ids.filter((id) => id.startsWith(name)).map((id) => ({ id, archived }))
      );
    const [first] = fitting;
    if (first === undefined) throw notFound(name, places.flatMap(({ ids }) => ids));
    if (fitting.length === 1) return this.at(first.id, first.archived);
    const some = fitting.slice(0, 5).map(({ id }) => id).join(", ");
    throw new LuminaError(
      "session.ambiguous",
      `"${name}" begins ${fitting.length} session ids (${some}): give more of it`,
      { exit: EXIT.usage },
    );
  }

  /**
   * The journal of a session, opened for reading only; the caller closes it. A session of the old LuminaCode is imported
   * first, once. Throws `journal.busy` while a live process owns it, `session.import_failed`.
   */
  async openJournal(saved: SavedSession): Promise<Journal> {
    await this.#imported(saved);
    const place = journalPlace(this.#app_root, saved.session_id);
    return await openJournal(saved.journal_file, { readonly: true, world: this.#world, ...place }).catch(
      async (error) => {
        throw await sessionFailure(saved, error);
      },
    );
  }

  /** The same for those who only read on: where the journal is damaged, its intact part. Throws as `openIntact`. */
  async openIntact(saved: SavedSession): Promise<IntactJournal> {
    await this.#imported(saved);
    makePrivateDirectory(this.#app_root.tmpDir);
    const place = journalPlace(this.#app_root, saved.session_id);
    return await openIntact(saved, this.#world, this.#app_root.tmpDir, place);
  }

  async #imported(saved: SavedSession): Promise<void> {
    if (saved.archived || !needsImport(saved.directory)) return;
    const { importSession } = await import("./legacy/import_session.ts");
    await importSession(saved.directory, { world: this.#world });
  }

  /** Throws `journal.busy` (exit 5) while a live process owns the session; damage is no reason to. */
  async assertFree(saved: SavedSession): Promise<void> {
    try {
      await (await this.openJournal(saved)).close();
    } catch (error) {
      if (!(error instanceof LuminaError) || error.code === "journal.busy") throw error;
    }
  }

  /**
   * Whether a live process owns the session. An owner leaves a note, and writes to a write-ahead log: without either
   * the session is not opened to find out.
   */
  async isOpen(saved: SavedSession): Promise<boolean> {
    const { owner } = journalPlace(this.#app_root, saved.session_id);
    const traces = [join(owner.dir, `${owner.name}.json`), `${saved.journal_file}-wal`];
    if (!traces.some((path) => fileSize(path) > 0)) return false;
    try {
      await this.assertFree(saved);
      return false;
    } catch (error) {
      if (error instanceof LuminaError) return true;
      throw error;
    }
  }

  /** The state of a session as its journal has it, without changing anything. */
  async state(saved: SavedSession): Promise<SessionState> {
    const journal = await this.openJournal(saved);
    try {
      let state = emptySession();
      for await (const page of readEvents(journal)) for (const event of page) state = evolve(state, event);
      return state;
    } catch (error) {
      throw await sessionFailure(saved, error);
    } finally {
      await journal.close();
    }
  }

  /**
   * Takes a saved session, lets `change` work on it, writes its summary and lets it go. Throws `journal.busy` (exit 5)
   * while another process owns it; damage and foreign files are found before anything is written.
   */
  async change(
    saved: SavedSession,
    change: (session: Session, journal: Journal) => Promise<void>,
  ): Promise<SessionState> {
    await (await this.openJournal(saved)).close();
    const place = journalPlace(this.#app_root, saved.session_id);
    const journal = await openJournal(saved.journal_file, { world: this.#world, ...place });
    try {
      await assertWhole(saved, journal);
      const session = await Session.open(journal, () => this.#world.now());
      await change(session, journal);
      writeSummary(saved.directory, session.state);
      return session.state;
    } catch (error) {
      throw await sessionFailure(saved, error);
    } finally {
      await journal.close();
    }
  }
}

/** Up to three ids that begin most like `name`. */
function nearestIds(name: string, ids: readonly string[]): string[] {
  const found: string[] = [];
  let left = [...ids];
  while (found.length < OFFERED) {
    const beginning = nearest(name, left.map((id) => id.slice(0, name.length)));
    const id = left.find((other) => other.slice(0, name.length) === beginning);
    if (id === undefined) break;
    found.push(id);
    left = left.filter((other) => other !== id);
  }
  return found;
}

function notFound(name: string, ids: readonly string[]): LuminaError {
  const near = nearestIds(name, ids);
  const hint = near.length === 0 ? "" : `; the nearest: ${near.join(", ")}`;
  const short = name.length < SHORTEST && ids.some((id) => id.startsWith(name));
  const beginning = short ? `; give at least the first ${SHORTEST} characters of an id` : "";
  return new LuminaError(
    "session.not_found",
    `There is no session ${name.slice(0, 80)}${beginning}${hint} (lumina session list --all shows them)`,
    { exit: EXIT.not_found },
  );
}
