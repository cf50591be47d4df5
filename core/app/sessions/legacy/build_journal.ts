import type { World } from "../../../base/mod.ts";
import { openJournal } from "../../../journal/mod.ts";
import { Session } from "../../../session/mod.ts";
import type { SessionState } from "../../../session/mod.ts";
import type { Message } from "../../../types/mod.ts";
import { messageText } from "../../../types/mod.ts";
import type { OldSummary } from "./read_old_history.ts";
import type { OldSession } from "./read_sources.ts";

/** Messages that share one commit. */
const BATCH = 200;

export interface BuildOptions {
  session_id: string;
  project_id: string;
  /** Empty when nobody has said where the session works: its first resume does. */
  cwd: string;
  lumina_version: string;
  world: World;
}

/**
 * Writes an old session into a new journal file and lets it go, everything on disk. The events bear the old session's
 * times, so that lists keep its place. Gives the state that the journal folds to.
 */
export async function buildJournal(
  file: string,
  old: OldSession,
  messages: readonly Message[],
  { world, ...place }: BuildOptions,
): Promise<SessionState> {
  const created = old.created_ts ?? old.updated_ts ?? world.now();
  const updated = Math.max(created, old.updated_ts ?? created);
  let now = created;
  const journal = await openJournal(file, { create: true, world: { ...world, now: () => now } });
  try {
    const session = await Session.open(journal, () => now);
    await session.execute({ type: "create", system: "", ...place, origin: "import" });
    now = updated;
    for (let at = 0; at < messages.length; at += BATCH) {
      const batch = messages.slice(at, at + BATCH);
      await session.execute(...batch.map((message) => ({ type: "import_message", message }) as const));
    }
    const ranges = rangesOf(old.summaries, session.state);
    await session.execute(
      ...old.summaries.map(({ title, summary, tags }, at) =>
        ({ type: "import_summary", ...ranges[at]!, title, summary, tags, model: "" }) as const
      ),
    );
    if (old.usage !== undefined) await session.execute({ type: "import_usage", usage: old.usage });
    if (old.pinned) await session.execute({ type: "set_pinned", pinned: true });
    return session.state;
  } finally {
    await journal.close();
  }
}

/** The events that each summary covers, found by the texts of its messages; 0 to 0 where none is in the conversation. */
function rangesOf(
  summaries: readonly OldSummary[],
  { messages, origins }: SessionState,
): { from: number; to: number }[] {
  const numbers = new Map<string, number[]>();
  for (const [at, message] of messages.entries()) {
    const text = messageText(message).trim();
    const seq = origins[at];
    if (text !== "" && seq !== undefined) numbers.set(text, [...numbers.get(text) ?? [], seq]);
  }
  let after = 0;
  return summaries.map(({ texts }) => {
    const found = texts.flatMap((text) => numbers.get(text.trim())?.find((seq) => seq > after) ?? []);
    if (found.length === 0) return { from: 0, to: 0 };
    const range = { from: Math.min(...found), to: Math.max(...found) };
    after = range.to;
    return range;
  });
}
