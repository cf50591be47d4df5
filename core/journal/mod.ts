export { EventCatalog } from "./event_catalog.ts";
export type { CatalogEvent, Decoded, EventIds, Upcast } from "./event_catalog.ts";
export { DAMAGED_EVENT } from "./journal.ts";
export type {
  AppendOptions,
  AppendResult,
  Checkpoint,
  Journal,
  JournalStats,
  OpenOptions,
  ReadOptions,
  VerifyReport,
} from "./journal.ts";
export type { JournalCode } from "./journal_error.ts";
export { JournalWorker, openJournalWorker } from "./journal_worker.ts";
export type { JournalWorkerOptions } from "./journal_worker.ts";
export { openJournal } from "./open_journal.ts";
export { readEvents } from "./read_events.ts";
