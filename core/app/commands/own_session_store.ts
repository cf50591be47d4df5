import type { AppRootPaths } from "../../app_root/mod.ts";
import type { World } from "../../base/mod.ts";
import type { Journal } from "../../journal/mod.ts";
import { writeSummary } from "../../session/mod.ts";
import type { Session, SessionState } from "../../session/mod.ts";
import type { IntactJournal } from "../sessions/damaged_session.ts";
import { SessionStore } from "../sessions/session_store.ts";
import type { SavedSession } from "../sessions/session_store.ts";

/** The session that is open in this process. */
export interface OwnSession {
  session_id: string;
  session: Session;
  journal: Journal;
}

/**
 * The saved sessions, with the one that is open here among them: what is read or changed of it goes through its open
 * journal, so that the commands on saved sessions work on it too. It stays open whatever they close.
 */
export class OwnSessionStore extends SessionStore {
  readonly #own: OwnSession;
  readonly #journal: Journal;

  constructor(app_root: AppRootPaths, world: World, own: OwnSession) {
    super(app_root, world);
    this.#own = own;
    this.#journal = keptOpen(own.journal);
  }

  override async openJournal(saved: SavedSession): Promise<Journal> {
    return this.#is(saved) ? this.#journal : await super.openJournal(saved);
  }

  override async openIntact(saved: SavedSession): Promise<IntactJournal> {
    if (!this.#is(saved)) return await super.openIntact(saved);
    return { journal: this.#journal, damage: () => undefined };
  }

  override async state(saved: SavedSession): Promise<SessionState> {
    return this.#is(saved) ? this.#own.session.state : await super.state(saved);
  }

  override async change(
    saved: SavedSession,
    change: (session: Session, journal: Journal) => Promise<void>,
  ): Promise<SessionState> {
    if (!this.#is(saved)) return await super.change(saved, change);
    const { session } = this.#own;
    await change(session, this.#journal);
    writeSummary(saved.directory, session.state);
    return session.state;
  }

  #is({ session_id, archived }: SavedSession): boolean {
    return session_id === this.#own.session_id && !archived;
  }
}

/** The journal, which whoever gets it cannot close. */
function keptOpen(journal: Journal): Journal {
  return {
    append: (...args) => journal.append(...args),
    read: (...args) => journal.read(...args),
    version: (...args) => journal.version(...args),
    head: () => journal.head(),
    command: (...args) => journal.command(...args),
    putBlob: (...args) => journal.putBlob(...args),
    getBlob: (...args) => journal.getBlob(...args),
    checkpoint: (...args) => journal.checkpoint(...args),
    putCheckpoint: (...args) => journal.putCheckpoint(...args),
    projection: (...args) => journal.projection(...args),
    putProjection: (...args) => journal.putProjection(...args),
    offset: (...args) => journal.offset(...args),
    setOffset: (...args) => journal.setOffset(...args),
    redact: (...args) => journal.redact(...args),
    verify: () => journal.verify(),
    stats: () => journal.stats(),
    close: () => Promise.resolve(),
  };
}
