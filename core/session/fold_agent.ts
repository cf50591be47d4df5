import { readEvents } from "../journal/mod.ts";
import type { Journal } from "../journal/mod.ts";
import { agentStream } from "./agent_stream.ts";
import { evolve } from "./evolve.ts";
import { nothingFolded } from "./snapshot.ts";
import type { Folded } from "./snapshot.ts";
import { emptySession } from "./state.ts";
import type { SessionState } from "./state.ts";

/** A sub-agent's conversation before its first event: it belongs to its session and works where that does. */
export function emptyAgent(of: Readonly<SessionState>, agent_id: string): SessionState {
  const { session_id, project_id, cwd, created_ts } = of;
  return { ...emptySession(), agent: agent_id, session_id, project_id, cwd, created_ts };
}

/** The state of one sub-agent as the journal has it; changes nothing. */
export async function foldAgent(
  journal: Journal,
  of: Readonly<SessionState>,
  agent_id: string,
): Promise<Folded & { from: number }> {
  const { skipped } = nothingFolded();
  let state = emptyAgent(of, agent_id);
  for await (const page of readEvents(journal, { stream_id: agentStream(agent_id) })) {
    for (const event of page) state = evolve(state, event, (problem) => skipped.push(problem));
  }
  return { state, skipped, from: 0 };
}
