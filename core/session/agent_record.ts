import { messageText } from "../types/mod.ts";
import type { Message, RunStatus } from "../types/mod.ts";
import type { SessionEvent } from "./events.ts";

/** Where a sub-agent works that has a worktree of its own. */
export interface AgentWorktree {
  path: string;
  branch: string;
}

/** A sub-agent of a session, as the session's own events tell of it; its conversation is in its own stream. */
export interface AgentRecord {
  agent_id: string;
  agent_type: string;
  description: string;
  background: boolean;
  status: "running" | RunStatus;
  /** What is left of it where it has ended. */
  worktree?: AgentWorktree;
  /** The process ended before it did, and the model has not been told yet: what it had done. */
  untold?: string;
}

type AgentEvent = SessionEvent & { type: `subagent.${string}` };

/** Folds what the session says of its sub-agents. */
export function evolveAgents(state: { agents: AgentRecord[] }, event: AgentEvent): void {
  const { agent_id } = event.payload;
  const at = state.agents.findIndex((agent) => agent.agent_id === agent_id);
  if (event.type === "subagent.started") {
    const { agent_type, description, background, worktree } = event.payload;
    const record: AgentRecord = {
      agent_id,
      agent_type,
      description,
      background,
      status: "running",
      ...(worktree === undefined ? {} : { worktree }),
    };
    if (at < 0) state.agents.push(record);
    else state.agents[at] = record;
    return;
  }
  const known = state.agents[at];
  if (known === undefined) return; // its start is missing from the journal: nothing is known that could have ended
  const { untold: _told, ...kept } = known;
  if (event.type === "subagent.interrupted") {
    state.agents[at] = { ...kept, status: "interrupted", untold: event.payload.done };
    return;
  }
  const { worktree: _gone, ...record } = kept;
  const { status, worktree } = event.payload;
  state.agents[at] = { ...record, status, ...(worktree === undefined ? {} : { worktree }) };
}

/** What a prompt begins with has told the model of interrupted sub-agents. */
export function toldOfAgents(state: { agents: AgentRecord[] }): void {
  if (state.agents.every(({ untold }) => untold === undefined)) return;
  state.agents = state.agents.map(({ untold: _told, ...record }) => record);
}

const WORDS = 600;

/** What an agent has done by its conversation, in a few lines: its calls by tool, and its last words. */
export function progressText({ messages, turns }: { messages: readonly Message[]; turns: number }): string {
  const calls = new Map<string, number>();
  let said = "";
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    const text = messageText(message).trim();
    if (text !== "" && !text.startsWith("[No complete answer")) said = text;
    for (const block of message.content) {
      if (block.type === "tool_use") calls.set(block.name, (calls.get(block.name) ?? 0) + 1);
    }
  }
  if (turns === 0) return "Nothing was done yet.";
  const counted = [...calls].map(([name, count]) => count === 1 ? name : `${name} ×${count}`);
  const tools = counted.length === 0 ? "no tool was called" : `tools called: ${counted.join(", ")}`;
  const words = said.length <= WORDS ? said : `${said.slice(0, WORDS)}…`;
  return `Model answers: ${turns}; ${tools}.${words === "" ? "" : ` Last words: ${words}`}`;
}
