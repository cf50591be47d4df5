import type { JournalWarning } from "./journal.ts";
import type { WireError } from "./journal_error.ts";
import type { PackedBatch } from "./packed_batch.ts";
import type { StoreOptions } from "./sqlite_store.ts";
import type { StoreMethod } from "./store_port.ts";

/** To the worker. `file` is the client's number of an open journal, `id` the number of the answer. */
export type ToWorker =
  | { id: number; file: number; op: "open"; path: string; options: StoreOptions }
  | { id: number; file: number; op: "write"; batch: PackedBatch }
  | { id: number; file: number; op: "call"; method: StoreMethod; args: unknown[] }
  | { id: number; file: number; op: "close" };

/** From the worker: the answer of a write is a `packOutcomes` text. One answer for each message, in the order of the messages of a file. */
export type FromWorker =
  | { id: number; ok: true; value: unknown }
  | { id: number; ok: false; error: WireError }
  | { file: number; warning: JournalWarning };
