import type { PlayedEvent, ReplayPort } from "../../../cli/mod.ts";
import { encodeRecording } from "../../../model/mod.ts";
import { agentOf, sessionEvents } from "../../../session/mod.ts";
import type { SavedSession, SessionStore } from "../session_store.ts";
import { replayRecording } from "./replay_source.ts";
import { RunEvents } from "./run_events.ts";

/** Events that are read at a time: while they are played nobody is kept from the session. */
const PAGE = 2000;

/** Playing and recording saved sessions. */
export function replaySessions(store: SessionStore): ReplayPort {
  return {
    async play(id, warn) {
      const saved = store.find(id);
      const journal = await store.openJournal(saved); // whether it can be read is told before anything is printed
      let version = "";
      try {
        const [first] = await journal.read({ limit: 1 });
        const decoded = first === undefined ? undefined : sessionEvents.decode(first);
        if (decoded?.known && decoded.event.type === "session.created") {
          version = decoded.event.payload.lumina_version;
        }
      } finally {
        await journal.close();
      }
      return { session_id: saved.session_id, version, events: played(store, saved, warn) };
    },
    async record(id, warn) {
      return encodeRecording((await replayRecording({ session: id }, store, warn)).recording);
    },
  };
}

async function* played(
  store: SessionStore,
  saved: SavedSession,
  warn: (text: string) => void,
): AsyncGenerator<PlayedEvent[]> {
  const told = new RunEvents();
  let after = 0;
  for (;;) {
    const journal = await store.openJournal(saved);
    const events = await journal.read({ after, limit: PAGE }).finally(() => journal.close());
    const page: PlayedEvent[] = [];
    for (const event of events) {
      if (agentOf(event.stream_id) !== "") continue; // what ran beside is told by its call's result
      const decoded = sessionEvents.decode(event);
      if (decoded.known) page.push(...told.of(decoded.event));
      else warn(`Left out: ${decoded.problem}`);
    }
    const last = events.at(-1);
    if (last === undefined) page.push(...told.flush());
    yield page;
    if (last === undefined) return;
    after = last.seq;
  }
}
