export { EventCatalog } from "./event_catalog.ts";
export type { CatalogEvent, Decoded, EventIds, Upcast } from "./event_catalog.ts";
export { DAMAGED_EVENT, JOURNAL_STREAM, REDACTED_EVENT, REDACTION_EVENT } from "./journal.ts";
export type {
  AppendOptions,
  AppendResult,
  Checkpoint,
  Journal,
  JournalStats,
  JournalWarning,
  OpenOptions,
  ReadOptions,
  Redaction,
  RedactionResult,
  StoredProjection,
  VerifyReport,
} from "./journal.ts";
export type { JournalCode } from "./journal_error.ts";
export { JournalWorker, openJournalWorker } from "./journal_worker.ts";
export type { JournalWorkerOptions } from "./journal_worker.ts";
export { openJournal } from "./open_journal.ts";
export { Projection } from "./projection.ts";
export { readEvents } from "./read_events.ts";
export { describeDamage, finishRepair, isHalfRepaired, openRescue, repairJournal } from "./repair.ts";
export type { RepairOptions } from "./repair_journal.ts";
export type { Rescued } from "./rescue_journal.ts";
