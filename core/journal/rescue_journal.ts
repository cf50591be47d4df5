import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { sha256, type World } from "../base/mod.ts";
import { DAMAGED_EVENT, type Journal } from "./journal.ts";
import { corruptError } from "./journal_error.ts";
import { rescueEvents } from "./rescue_events.ts";
import type { CarvedValue } from "./rescue_pages.ts";
import { lastRow, readableRows } from "./rescue_rows.ts";
import { assertNotNewer, openRescueSource, type RescueSource } from "./rescue_source.ts";
import { type Placeholder, writeRescued } from "./rescue_write.ts";
import { createSchema } from "./schema.ts";
import { SqliteStore } from "./sqlite_store.ts";
import { StoreJournal } from "./store_journal.ts";
import { callStore } from "./store_port.ts";

/** What was saved of a damaged journal. */
export interface Rescued {
  /** Events in the new journal, places of lost ones included: numbers never move. */
  events: number;
  saved: number;
  /** What is lost, one line each, at most 100. */
  lost: string[];
  /** What was damaged and is whole again, or was kept although nothing proves it. */
  notes: string[];
}

export interface RescueOptions {
  /** How messages name the file. */
  named: string;
  /** How many events are known to have been there, 0 when nothing is known. */
  at_least?: number;
  /** What stands in the place of a lost event. */
  placeholder: Placeholder;
}

/** What stands in the place of a lost event for those who only read. */
const DAMAGED: Placeholder = (payload) => ({ type: DAMAGED_EVENT, version: 1, payload });

/**
 * Saves into the empty journal `fresh` what can be read of the copy of a journal at `path` (which may be changed).
 * Throws `journal.corrupt` when it belongs to another program or holds nothing of a journal, and `journal.newer_schema`.
 */
export function rescueInto(fresh: DatabaseSync, path: string, options: RescueOptions): Rescued {
  using source = openRescueSource(path, options.named);
  if (source.db !== undefined) assertNotNewer(source.db, options.named);
  const notes = [...source.problems];
  const blobs = saveBlobs(source, fresh, notes);
  const columns = fresh.prepare("PRAGMA table_info(events)").all().map(({ name }) => String(name));
  const { events, notes: kept } = rescueEvents(source, columns, options.at_least ?? 0, blobs);
  if (!events.some(({ lost }) => lost === undefined)) {
    throw corruptError(options.named, "nothing of a journal can be found in it; it is left as it is");
  }
  notes.push(...kept);
  const lost = writeRescued(fresh, columns, events, options.placeholder);
  saveCommands(source, fresh, lost);
  saveOthers(source, fresh, notes);
  return {
    events: events.length,
    saved: events.filter((event) => event.lost === undefined).length,
    lost,
    notes: notes.slice(0, 100),
  };
}

/**
 * Opens what can be read of a damaged journal, in memory and for reading only; the file itself is only copied, into a
 * folder of its own under `work_dir`, which is removed again. A lost event is read as type `DAMAGED_EVENT`. Throws as
 * `rescueInto`, and what copying throws.
 */
export function openRescue(
  path: string,
  options: { world: World; work_dir: string; at_least?: number },
): { journal: Journal; rescued: Rescued } {
  const fresh = new DatabaseSync(":memory:");
  try {
    createSchema(fresh);
    const copy = copyJournal(path, Deno.makeTempDirSync({ dir: options.work_dir, prefix: "rescue-" }));
    let rescued: Rescued;
    try {
      const { at_least = 0 } = options;
      rescued = rescueInto(fresh, copy.path, { named: path, at_least, placeholder: DAMAGED });
    } finally {
      Deno.removeSync(copy.directory, { recursive: true });
    }
    const store = SqliteStore.over(path, fresh);
    const journal = new StoreJournal({
      // deno-lint-ignore require-await -- async turns what the store throws into a rejection
      call: async (method, ...args) => callStore(store, method, args),
      // deno-lint-ignore require-await -- as above
      write: async (batch) => store.write(batch),
      // deno-lint-ignore require-await -- as above
      close: async () => store.close(),
    }, options.world);
    return { journal, rescued };
  } catch (error) {
    fresh.close();
    throw error;
  }
}

/** Copies a journal and its log into a directory. No process may own it: closing a descriptor drops its locks. */
export function copyJournal(path: string, directory: string): { path: string; directory: string } {
  const copy = join(directory, "runtime.sqlite");
  Deno.copyFileSync(path, copy);
  Deno.chmodSync(copy, 0o600);
  try {
    Deno.copyFileSync(`${path}-wal`, `${copy}-wal`);
    Deno.chmodSync(`${copy}-wal`, 0o600);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return { path: copy, directory };
}

function saveBlobs(source: RescueSource, fresh: DatabaseSync, notes: string[]): Set<string> {
  const saved = new Set<string>();
  const insert = fresh.prepare("INSERT OR IGNORE INTO blobs (sha256, bytes, size) VALUES (?, ?, ?)");
  const save = (name: unknown, bytes: unknown) => {
    if (typeof name !== "string" || !(bytes instanceof Uint8Array) || sha256(bytes) !== name) return;
    insert.run(name, bytes, bytes.length);
    saved.add(name);
  };
  let known = 0;
  const { db } = source;
  if (db !== undefined) {
    known = lastRow(db, "blobs", source.most_rows);
    for (const row of readableRows(db, "blobs", "sha256, bytes", known)) save(row.sha256, row.bytes);
  }
  for (const { values } of source.carved(db !== undefined && saved.size >= known)) {
    if (values.length === 3) save(values[0], values[1]);
  }
  if (saved.size < known) {
    notes.push(
      `${known - saved.size} of ${known} blobs are damaged or missing; events that need one are named`,
    );
  }
  return saved;
}

function saveCommands(source: RescueSource, fresh: DatabaseSync, lost: string[]): void {
  const { db } = source;
  const insert = fresh.prepare("INSERT OR IGNORE INTO commands (key, request_hash, result) VALUES (?, ?, ?)");
  let saved = 0;
  const save = (...[key, hash, result]: (CarvedValue | bigint | undefined)[]) => {
    if (typeof key !== "string" || typeof hash !== "string" || typeof result !== "string") return;
    if (!result.startsWith('{"first_seq":')) return;
    saved += Number(insert.run(key, hash, result).changes);
  };
  const known = db === undefined ? 0 : lastRow(db, "commands", source.most_rows);
  if (db !== undefined) {
    for (const row of readableRows(db, "commands", "key, request_hash, result", known)) {
      save(row.key, row.request_hash, row.result);
    }
  }
  for (const { values } of source.carved(db !== undefined && saved >= known)) {
    if (values.length === 3) save(...values);
  }
  if (saved < known) {
    lost.push(`${known - saved} of ${known} command keys: what they asked for could happen again`);
  }
}

/** Tables whose content is saved above, or made anew from the events. */
const DONE = new Set([
  "meta",
  "events",
  "blobs",
  "commands",
  "checkpoints",
  "projections",
  "consumer_offsets",
]);

/** Small tables of later versions are taken as they are. */
function saveOthers({ db }: RescueSource, fresh: DatabaseSync, notes: string[]): void {
  const tables = fresh.prepare(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  ).all().map(({ name }) => String(name)).filter((name) => !DONE.has(name));
  for (const table of tables) {
    try {
      for (const row of db?.prepare(`SELECT * FROM "${table}"`).all() ?? []) {
        const names = Object.keys(row);
        const marks = names.map(() => "?").join(",");
        fresh.prepare(`INSERT OR REPLACE INTO "${table}" (${names.join(",")}) VALUES (${marks})`)
          .run(...Object.values(row));
      }
    } catch {
      notes.push(`the table "${table}" could not be read`);
    }
  }
}
