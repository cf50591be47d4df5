/**
 * The journal worker: holds the stores of one process, so that a slow disk never stalls the thread that streams.
 * Speaks `ToWorker` and `FromWorker`. Entry of a `Worker`; started by `JournalWorker` alone.
 */
import { loadNativeHash, systemWorld } from "../base/mod.ts";
import type { JournalWarning } from "./journal.ts";
import { toWireError } from "./journal_error.ts";
import { type PackedBatch, packOutcomes, unpackBatch } from "./packed_batch.ts";
import { SqliteStore } from "./sqlite_store.ts";
import { callStore } from "./store_port.ts";
import type { FromWorker, ToWorker } from "./worker_message.ts";

interface WorkerScope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
}

const scope = globalThis as unknown as WorkerScope;
const stores = new Map<number, Promise<SqliteStore>>();

/** After so long without a write, milliseconds, the logs are moved into their files. */
const IDLE_MS = 250;
/** After so many commits the worker has enough to hash for the faster implementation. */
const MANY_COMMITS = 16;
let commits = 0;
/** Stores whose log has room for the next commits. */
const reserved = new WeakSet<SqliteStore>();
const written = new Set<SqliteStore>();
let idle_from = 0;
let watching = false;

scope.onmessage = async ({ data: message }) => {
  try {
    scope.postMessage({ id: message.id, ok: true, value: await handle(message) });
  } catch (error) {
    scope.postMessage({ id: message.id, ok: false, error: toWireError(error) });
  }
};

async function handle(message: ToWorker): Promise<unknown> {
  if (message.op === "open") {
    const { file } = message;
    const warn = (warning: JournalWarning) => scope.postMessage({ file, warning });
    const opening = SqliteStore.open(message.path, message.options, systemWorld, warn);
    stores.set(file, opening);
    await opening;
    return null;
  }
  // Calls that came while the file was being opened wait here, in their order; a failed opening is their answer.
  const store = await stores.get(message.file)!;
  if (message.op === "write") return write(store, message.batch);
  if (message.op === "call") return callStore(store, message.method, message.args as never);
  stores.delete(message.file);
  written.delete(store);
  store.close();
  return null;
}

function write(store: SqliteStore, batch: PackedBatch): string {
  if (++commits === MANY_COMMITS) void loadNativeHash();
  const outcomes = packOutcomes(store.write(unpackBatch(batch)));
  written.add(store);
  if (!reserved.has(store)) {
    reserved.add(store);
    setTimeout(() => void store.reserveLog(), 0); // after the first answer is on its way
  }
  idle_from = systemWorld.mono() + IDLE_MS;
  if (!watching) watch();
  return outcomes;
}

/** One timer for all files, set again only when it finds that there was work meanwhile: a write sets none. */
function watch(): void {
  watching = true;
  setTimeout(() => {
    if (systemWorld.mono() < idle_from) return watch();
    watching = false;
    for (const store of written) store.tidy();
    written.clear();
  }, Math.max(1, idle_from - systemWorld.mono()));
}
