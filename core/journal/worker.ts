/**
 * The journal worker: holds the stores of one process, so that a slow disk never stalls the thread that streams.
 * Speaks `ToWorker` and `FromWorker`. Entry of a `Worker`; started by `JournalWorker` alone.
 */
import { systemWorld } from "../base/mod.ts";
import { toWireError } from "./journal_error.ts";
import { packOutcomes, unpackBatch } from "./packed_batch.ts";
import { SqliteStore } from "./sqlite_store.ts";
import { callStore } from "./store_port.ts";
import type { FromWorker, ToWorker } from "./worker_message.ts";

interface WorkerScope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
}

const scope = globalThis as unknown as WorkerScope;
const stores = new Map<number, Promise<SqliteStore>>();

scope.onmessage = async ({ data: message }) => {
  try {
    scope.postMessage({ id: message.id, ok: true, value: await handle(message) });
  } catch (error) {
    scope.postMessage({ id: message.id, ok: false, error: toWireError(error) });
  }
};

async function handle(message: ToWorker): Promise<unknown> {
  if (message.op === "open") {
    const opening = SqliteStore.open(message.path, message.options, systemWorld);
    stores.set(message.file, opening);
    await opening;
    return null;
  }
  // Calls that came while the file was being opened wait here, in their order; a failed opening is their answer.
  const store = await stores.get(message.file)!;
  if (message.op === "write") return packOutcomes(store.write(unpackBatch(message.batch)));
  if (message.op === "call") return callStore(store, message.method, message.args as never);
  stores.delete(message.file);
  store.close();
  return null;
}
