import { projectIdentity, startDirectory } from "../../app_root/mod.ts";
import { EXIT, LuminaError } from "../../base/mod.ts";
import type { LoggedDecision } from "../../cli/mod.ts";
import { readEvents } from "../../journal/mod.ts";
import { sessionEvents } from "../../session/mod.ts";
import { listSessions } from "./list_sessions.ts";
import type { SavedSession, SessionStore } from "./session_store.ts";

/**
 * Every decision about a call in a saved session, oldest first: who decided, what and why. Only reads; of a damaged session
 * the intact part. Throws `session.not_found` (exit 4), and `journal.busy` (exit 5) while a live process owns it.
 */
export async function decisionLog(
  store: SessionStore,
  session: string | undefined,
  cwd: string | undefined,
): Promise<LoggedDecision[]> {
  const saved = session === undefined ? await newest(store, cwd) : store.find(session);
  const { journal } = await store.openIntact(saved);
  const decisions: LoggedDecision[] = [];
  try {
    for await (const page of readEvents(journal)) {
      for (const stored of page) {
        const decoded = sessionEvents.decode(stored);
        if (!decoded.known || decoded.event.type !== "permission.decided") continue;
        const { seq, ts, payload } = decoded.event;
        decisions.push({ seq, ts, ...payload });
      }
    }
  } finally {
    await journal.close();
  }
  return decisions;
}

async function newest(store: SessionStore, cwd: string | undefined): Promise<SavedSession> {
  const { root } = projectIdentity(startDirectory(cwd));
  const { rows } = await listSessions(store, { root }, () => {});
  const [first] = rows.toSorted((a, b) => b.updated_ts - a.updated_ts);
  if (first !== undefined) return store.find(first.session_id);
  throw new LuminaError(
    "session.not_found",
    `There is no session of ${root}; lumina session list --all shows all`,
    {
      exit: EXIT.not_found,
    },
  );
}
