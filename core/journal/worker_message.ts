import type { OpenOptions } from "./journal.ts";
import type { WireError } from "./journal_error.ts";
import type { PackedBatch } from "./packed_batch.ts";
import type { StoreMethod } from "./store_port.ts";

/** The first message: the memory of a `SharedLine`, over which short writes come. */
export interface LineMessage {
  op: "line";
  memory: SharedArrayBuffer;
}

/** To the worker. `file` is the client's number of an open journal, `id` the number of the answer. */
export type ToWorker =
  | { id: number; file: number; op: "open"; path: string; options: OpenOptions }
  | { id: number; file: number; op: "write"; batch: PackedBatch }
  | { id: number; file: number; op: "call"; method: StoreMethod; args: unknown[] }
  | { id: number; file: number; op: "close" };

/** From the worker: the answer of a write is a `packOutcomes` text. One answer for each message, in the order of the messages of a file. */
export type FromWorker =
  | { id: number; ok: true; value: unknown }
  | { id: number; ok: false; error: WireError };

/** A write as the text of a question; its answer is a `packOutcomes` text, or empty when it comes as a message. */
export function writeQuestion(id: number, file: number, { head, body }: PackedBatch): string {
  return `${id} ${file} ${head.length}\n${head}${body}`;
}

/** What `writeQuestion` was given. */
export function readQuestion(text: string): { id: number; file: number; batch: PackedBatch } {
  const start = text.indexOf("\n") + 1;
  const [id, file, length] = text.slice(0, start - 1).split(" ").map(Number) as [number, number, number];
  const batch = { head: text.slice(start, start + length), body: text.slice(start + length), blobs: [] };
  return { id, file, batch };
}
