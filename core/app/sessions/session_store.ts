import { join } from "node:path";
import type { AppRootPaths } from "../../app_root/mod.ts";
import { EXIT, LuminaError, nearest } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import { openJournal, readEvents } from "../../journal/mod.ts";
import type { Journal } from "../../journal/mod.ts";
import { emptySession, evolve } from "../../session/mod.ts";
import type { SessionState } from "../../session/mod.ts";

/** Where one saved session lies. */
export interface SavedSession {
  session_id: string;
  directory: string;
  /** `runtime.sqlite`: the truth about it. */
  journal_file: string;
  archived: boolean;
}

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
      return [...Deno.readDirSync(folder)].filter((entry) => entry.isDirectory).map(({ name }) => name);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return [];
      throw error;
    }
  }

  /**
   * The session that a person names by its id or by an unambiguous beginning of at least four characters. Throws
   * `session.not_found` (exit 4), which lists the nearest ids, or `session.ambiguous` (exit 2).
   */
  find(name: string): SavedSession {
    for (const archived of [false, true]) {
      const ids = this.ids(archived);
      if (ids.includes(name)) return this.#saved(name, archived);
      const fitting = name.length >= 4 ? ids.filter((id) => id.startsWith(name)) : [];
      if (fitting.length === 1) return this.#saved(fitting[0]!, archived);
      if (fitting.length > 1) {
        throw new LuminaError(
          "session.ambiguous",
          `"${name}" begins ${fitting.length} session ids (${
            fitting.slice(0, 5).join(", ")
          }): give more of it`,
          { exit: EXIT.usage },
        );
      }
    }
    throw notFound(name, [...this.ids(), ...this.ids(true)]);
  }

  /** The journal of a session, opened for reading only; the caller closes it. Throws `journal.busy` while a live process owns it. */
  async openJournal(saved: SavedSession): Promise<Journal> {
    return await openJournal(saved.journal_file, { readonly: true, world: this.#world });
  }

  /** The state of a session as its journal has it, without changing anything. */
  async state(saved: SavedSession): Promise<SessionState> {
    const journal = await this.openJournal(saved);
    try {
      let state = emptySession();
      for await (const page of readEvents(journal)) for (const event of page) state = evolve(state, event);
      return state;
    } finally {
      await journal.close();
    }
  }

  #saved(session_id: string, archived: boolean): SavedSession {
    const directory = archived
      ? join(this.#app_root.archiveDir, session_id)
      : this.#app_root.sessionDir(session_id);
    return { session_id, directory, journal_file: join(directory, "runtime.sqlite"), archived };
  }
}

function notFound(name: string, ids: string[]): LuminaError {
  const guess = nearest(name, ids);
  const hint = guess === undefined ? "" : `; did you mean ${guess}?`;
  return new LuminaError(
    "session.not_found",
    `There is no session ${JSON.stringify(name.slice(0, 80))}${hint} (lumina session list shows them)`,
    { exit: EXIT.not_found },
  );
}
