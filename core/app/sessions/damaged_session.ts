import { join } from "node:path";
import { EXIT, LuminaError } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { JournalPlace } from "./journal_place.ts";
import { describeDamage, isHalfRepaired, openJournal, openRescue } from "../../journal/mod.ts";
import type { Journal, ReadOptions, Rescued } from "../../journal/mod.ts";
import { readSummary, SESSION_STREAM } from "../../session/mod.ts";

/** Where a session lies, as far as its damage is concerned. */
export interface SessionPlace {
  session_id: string;
  directory: string;
}

/** `session.damaged` (exit 1): one line with what is wrong and the command that helps. */
export function damagedSession({ session_id }: SessionPlace, what: string): LuminaError {
  return new LuminaError(
    "session.damaged",
    `The session ${session_id} is damaged (${what}): run lumina session repair ${session_id}`,
    { exit: EXIT.failed },
  );
}

/** How many events `meta.json` knows of, 0 when it is missing or damaged. */
export function knownEvents({ directory }: SessionPlace): number {
  return readSummary(directory)?.seq ?? 0;
}

/**
 * What opening or reading a session's journal threw, as a person should be told: damage becomes `session.damaged`, and so
 * does an empty file beside a summary that knows better. Everything else is what it was.
 */
export async function sessionFailure(place: SessionPlace, error: unknown): Promise<unknown> {
  if (!(error instanceof LuminaError)) return error;
  const path = join(place.directory, "runtime.sqlite");
  if (error.code === "journal.missing") {
    if (await isHalfRepaired(path)) return damagedSession(place, "a repair of it was cut off");
    if (knownEvents(place) === 0) return error; // a session that never came to be
    return damagedSession(place, await describeDamage(path) ?? "runtime.sqlite holds no events");
  }
  if (error.code !== "journal.corrupt") return error;
  const said = /is damaged \((.*?)\); /.exec(error.message)?.[1];
  return damagedSession(place, await describeDamage(path) ?? said ?? "it cannot be read");
}

/**
 * Throws `session.damaged` when the journal ends before an event that was once committed: then a part of it is gone, and
 * writing on would bury what a repair may still find.
 */
export async function assertWhole(place: SessionPlace, journal: Journal): Promise<void> {
  const known = knownEvents(place);
  if (known === 0) return;
  const head = await journal.head();
  if (head < known) throw damagedSession(place, missingTail(known, head));
}

/** Says that the end of a journal is gone. */
export function missingTail(known: number, head: number): string {
  return `it ends with event ${head}, and meta.json knows of event ${known}: the last events are missing`;
}

/** A journal that is read around its damage. */
export interface IntactJournal {
  journal: Journal;
  /** What was found damaged by what was read so far, as `session.damaged`. */
  damage(): LuminaError | undefined;
}

/**
 * Opens a session for reading only. Where its journal is damaged the intact part is read instead, from a copy in memory;
 * no byte of the session is changed. Throws `journal.busy`, `session.damaged` when nothing can be read, and the journal's
 * other errors.
 */
export async function openIntact(
  place: SessionPlace,
  world: World,
  work_dir: string,
  at: JournalPlace,
): Promise<IntactJournal> {
  const path = join(place.directory, "runtime.sqlite");
  let damage: LuminaError | undefined;
  const rescue = async (error: unknown): Promise<Journal> => {
    const failure = await sessionFailure(place, error);
    if (!(failure instanceof LuminaError) || failure.code !== "session.damaged") throw failure;
    damage = failure;
    try {
      const { journal, rescued } = await openRescue(path, { world, work_dir, at_least: knownEvents(place) });
      damage = damagedSession(place, rescuedText(failure, place, rescued));
      return journal;
    } catch {
      throw failure; // nothing can be read: the damage itself is what to tell
    }
  };
  let journal: Journal;
  try {
    journal = await openJournal(path, { readonly: true, world, ...at });
  } catch (error) {
    return { journal: await rescue(error), damage: () => damage };
  }
  try {
    await assertWhole(place, journal);
    await journal.version(SESSION_STREAM); // by the index, which what follows may not look at
  } catch (error) {
    await journal.close();
    return { journal: await rescue(error), damage: () => damage };
  }
  return { journal: readingAround(journal, rescue), damage: () => damage };
}

/** The journal, until a page of it cannot be read: from there on the rescued one, whose numbers are the same. */
function readingAround(journal: Journal, rescue: (error: unknown) => Promise<Journal>): Journal {
  let rescued: Promise<Journal> | undefined;
  const around: Pick<Journal, "read" | "close"> = {
    async read(options?: ReadOptions) {
      if (rescued !== undefined) return await (await rescued).read(options);
      try {
        return await journal.read(options);
      } catch (error) {
        rescued ??= rescue(error);
        return await (await rescued).read(options);
      }
    },
    async close() {
      await journal.close();
      await (await rescued?.catch(() => undefined))?.close(); // a rescue that failed was told by `read`
    },
  };
  return new Proxy(journal, {
    get(target, name: keyof Journal) {
      if (name === "read" || name === "close") return around[name];
      const value: unknown = target[name];
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function rescuedText(failure: LuminaError, place: SessionPlace, { events, saved }: Rescued): string {
  const what = failure.message.slice(
    `The session ${place.session_id} is damaged (`.length,
    failure.message.lastIndexOf("): run lumina"),
  );
  return events === saved ? what : `${what}; ${events - saved} of ${events} events cannot be read`;
}
