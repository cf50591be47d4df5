const PREFIX = "agent/";

/** The stream that holds everything of one sub-agent: its conversation and its runs. */
export const agentStream = (agent_id: string): string => `${PREFIX}${agent_id}`;

/** Whose conversation a stream belongs to: a sub-agent's id; empty for the session's own. */
export function agentOf(stream_id: string): string {
  return stream_id.startsWith(PREFIX) ? stream_id.slice(PREFIX.length) : "";
}
