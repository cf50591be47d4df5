import { EXIT, LuminaError } from "../../base/mod.ts";
import { readEvents } from "../../journal/mod.ts";
import { sessionEvents } from "../../session/mod.ts";
import type { SavedSession, SessionStore } from "./session_store.ts";

/**
 * The whole output of one call, which a locked run kept in the journal. Throws `session.no_output` (exit 4) where none is
 * kept, `journal.busy` (exit 5) while a live process owns the session.
 */
export async function keptOutput(store: SessionStore, saved: SavedSession, call_id: string): Promise<string> {
  const { journal } = await store.openIntact(saved);
  try {
    for await (const page of readEvents(journal)) {
      for (const stored of page) {
        const decoded = sessionEvents.decode(stored);
        if (!decoded.known || decoded.event.type !== "tool.output_kept") continue;
        const { payload } = decoded.event;
        if (payload.call_id === call_id) return payload.content;
      }
    }
  } finally {
    await journal.close();
  }
  throw new LuminaError(
    "session.no_output",
    `The session ${saved.session_id} keeps no output of a call ${call_id}: only what a locked run had to cut is kept there`,
    { exit: EXIT.not_found },
  );
}
