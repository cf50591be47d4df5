import { openJournal, openJournalWorker } from "../../core/journal/mod.ts";
import { journalSuite } from "./journal_suite.ts";

const worker_url = new URL("../../core/journal/worker.ts", import.meta.url);

journalSuite("journal in this thread", openJournal);
journalSuite(
  "journal in a worker",
  (path, options) => Promise.resolve(openJournalWorker(path, { ...options, worker_url })),
);
