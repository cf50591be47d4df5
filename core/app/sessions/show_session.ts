import type { ShownCall, ShownMessage, ShownSession } from "../../cli/mod.ts";
import { readEvents } from "../../journal/mod.ts";
import { agentOf, emptySession, evolve, sessionEvents, summaryOf } from "../../session/mod.ts";
import type { SessionEvent, SessionState } from "../../session/mod.ts";
import { messageText } from "../../types/mod.ts";
import type { Message } from "../../types/mod.ts";
import type { SavedSession, SessionStore } from "./session_store.ts";

/** What the state of a session does not keep and a reader wants to know. */
interface Seen {
  mode: string;
  /** When each event of a message was written. */
  times: Map<number, number>;
  /** What the person wrote, by the event of the message: without the context that went with it. */
  prompts: Map<number, string>;
  calls: Map<string, ShownCall["status"]>;
}

/**
 * A saved session as a person reads it: what it is and its conversation as it now is, after rewinds. Only reads; of a
 * damaged session the intact part. Throws
 * `journal.busy` (exit 5) while a live process owns it, and the journal's errors.
 */
export async function showSession(store: SessionStore, saved: SavedSession): Promise<ShownSession> {
  const { journal, damage } = await store.openIntact(saved);
  try {
    let state = emptySession();
    const skipped: string[] = [];
    const seen: Seen = { mode: "", times: new Map(), prompts: new Map(), calls: new Map() };
    for await (const page of readEvents(journal)) {
      for (const stored of page) {
        state = evolve(state, stored, (problem) => skipped.push(problem));
        if (agentOf(stored.stream_id) !== "") continue;
        if (state.origins.at(-1) === stored.seq) seen.times.set(stored.seq, stored.ts);
        const decoded = sessionEvents.decode(stored);
        if (decoded.known) note(seen, decoded.event);
      }
    }
    const messages = state.messages.flatMap((message, index) =>
      shown(message, state.origins[index] ?? 0, seen, state)
    );
    const summary = summaryOf(state);
    const status = state.run === null ? summary.status : "interrupted"; // nobody owns it: its process has died
    return {
      session: {
        ...summary,
        status,
        session_id: saved.session_id,
        archived: saved.archived,
        open: false,
        mode: seen.mode,
        usage: state.usage,
      },
      messages,
      skipped: damage() === undefined ? skipped : [], // counted in the line that names the damage
      ...(damage() === undefined ? {} : { damage: damage()?.message ?? "" }),
    };
  } finally {
    await journal.close();
  }
}

function note(seen: Seen, event: SessionEvent): void {
  switch (event.type) {
    case "run.started":
      seen.mode = event.payload.mode;
      seen.prompts.set(event.seq, event.payload.prompt);
      break;
    case "run.steered":
      seen.prompts.set(event.seq, event.payload.text);
      break;
    case "tool.finished": {
      const { call_id, is_error, ran } = event.payload;
      seen.calls.set(call_id, !ran ? "not_run" : is_error ? "error" : "ok");
      break;
    }
    case "session.message_imported":
      for (const block of event.payload.message.content) {
        if (block.type === "tool_result") seen.calls.set(block.call_id, block.is_error ? "error" : "ok");
      }
      break;
    case "tool.interrupted":
      seen.calls.set(event.payload.call_id, event.payload.unknown_outcome ? "unknown" : "not_run");
      break;
  }
}

/** The message as it is shown; none for one that only carries tool results. */
function shown(message: Message, number: number, seen: Seen, state: SessionState): ShownMessage[] {
  const blocks = message.content;
  if (message.role === "user" && blocks.some(({ type }) => type === "tool_result")) return [];
  const calls = blocks.flatMap((block): ShownCall[] => {
    if (block.type !== "tool_use") return [];
    const { call_id, name, input } = block;
    const open = state.run?.calls.find((call) => call.call_id === call_id);
    const status = seen.calls.get(call_id) ?? (open?.started ? "unknown" : "not_run");
    return [{ call_id, name, input, status }];
  });
  const text = seen.prompts.get(number) ?? messageText(message);
  return [{ number, role: message.role, ts: seen.times.get(number) ?? 0, text, calls }];
}
