import type { HistoryPort } from "../../cli/mod.ts";
import { readEvents } from "../../journal/mod.ts";
import { getHistory, listHistory, SessionHistory } from "../../session/mod.ts";
import type { SessionStore } from "./session_store.ts";

/** `lumina session history` over the saved sessions: reads the journal and changes nothing. */
export function sessionHistory(store: SessionStore): HistoryPort {
  const read = async (name: string) => {
    const saved = store.find(name);
    const journal = await store.openJournal(saved);
    try {
      const history = new SessionHistory();
      for await (const page of readEvents(journal)) for (const event of page) history.add(event);
      return { session_id: saved.session_id, history };
    } finally {
      await journal.close();
    }
  };
  return {
    async list(name, query) {
      const { session_id, history } = await read(name);
      return { session_id, ...listHistory(history, query), spent: history.spent };
    },
    async get(name, number) {
      const { session_id, history } = await read(name);
      return { session_id, ...getHistory(history, number) };
    },
  };
}
