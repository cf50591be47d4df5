import type { World } from "../base/mod.ts";
import type { Journal, JournalWarning, OpenOptions } from "./journal.ts";
import { ownNote, withOwner } from "./owner_note.ts";
import { StoreJournal } from "./store_journal.ts";
import { callStore } from "./store_port.ts";

/**
 * Opens a journal in this thread: for tests and for reading only. Writes block the thread for as long as the disk
 * takes; programs use `openJournalWorker`. `warn` is told what a person should know of the disk. Throws `journal.missing`, `journal.busy` (another process owns the file),
 * `journal.corrupt`, `journal.newer_schema` or `journal.io`.
 */
export async function openJournal(
  path: string,
  options: OpenOptions & { world: World; warn?: (warning: JournalWarning) => void },
): Promise<Journal> {
  // Loaded late: whoever uses the worker needs no SQLite in this thread.
  const { SqliteStore } = await import("./sqlite_store.ts");
  const { world, warn, ...rest } = options;
  const owned = rest.owner !== undefined && !rest.readonly;
  const told = owned ? { ...rest, note: ownNote(world) } : rest;
  const store = await SqliteStore.open(path, told, world, warn).catch((error) => {
    throw withOwner(error, path, rest.owner);
  });
  return new StoreJournal({
    // deno-lint-ignore require-await -- async turns what the store throws into a rejection
    call: async (method, ...args) => callStore(store, method, args),
    // deno-lint-ignore require-await -- as above
    write: async (batch) => store.write(batch),
    // deno-lint-ignore require-await -- as above
    close: async () => store.close(),
  }, world);
}
