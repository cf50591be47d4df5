import type {
  AssistantBlock,
  AssistantMessage,
  MediaBlock,
  Message,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
  UserMessage,
} from "../types/mod.ts";
import { isMedia } from "../types/mod.ts";

/** What a call gets whose outcome is missing. */
export const INTERRUPTED = "The call was interrupted: its outcome is not known";

/** A user message of the wire: results first, since both wires want them right after their calls. */
export interface PairedUser {
  role: "user";
  results: (ToolResultBlock & { wire_id: string })[];
  /** What the person sent beside words. */
  media: MediaBlock[];
  texts: string[];
}

/** An assistant message of the wire. `wire_id` of each call is the one to send. */
export interface PairedAssistant {
  role: "assistant";
  content: AssistantBlock[];
}

export type PairedMessage = PairedUser | PairedAssistant;

/**
 * A history that both wires accept: every call has exactly one result in the next user message (a missing one is
 * `INTERRUPTED`), a result without its call is dropped, wire ids are unique and legal. A longer history gives the same
 * beginning, so that requests extend one another.
 */
export function pairHistory(messages: readonly Message[]): PairedMessage[] {
  const paired: PairedMessage[] = [];
  const wireIds = new WireIds();
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]!;
    if (message.role === "user") {
      // results were taken by the assistant message before; those still here have no call
      pushUser(paired, [], message);
      continue;
    }
    const content = message.content.map((block) =>
      block.type === "tool_use" ? { ...block, wire_id: wireIds.of(block) } : block
    );
    const answer: AssistantMessage = { role: "assistant", content };
    paired.push(answer);
    const calls = content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) continue;
    const next = messages[at + 1];
    pushUser(paired, resultsFor(calls, messages, at + 1), next?.role === "user" ? next : undefined);
    if (next?.role === "user") at++;
  }
  return paired;
}

function pushUser(
  paired: PairedMessage[],
  results: PairedUser["results"],
  message: UserMessage | undefined,
): void {
  const words = message === undefined ? [] : texts(message);
  const media = message?.content.filter(isMedia) ?? [];
  if (results.length + words.length + media.length === 0) return;
  paired.push({ role: "user", results, media, texts: words });
}

function texts(message: UserMessage): string[] {
  return message.content.filter((block): block is TextBlock => block.type === "text").map((block) =>
    block.text
  )
    .filter((text) => text.trim() !== "");
}

/** The results of `calls` among the user messages up to the next answer, in the order of the calls. */
function resultsFor(
  calls: ToolUseBlock[],
  messages: readonly Message[],
  from: number,
): PairedUser["results"] {
  const found = new Map<string, ToolResultBlock>();
  for (let at = from; messages[at]?.role === "user"; at++) {
    for (const block of messages[at]!.content) {
      if (block.type === "tool_result" && !found.has(block.call_id)) found.set(block.call_id, block);
    }
  }
  return calls.map((call) => {
    const result = found.get(call.call_id) ??
      { type: "tool_result" as const, call_id: call.call_id, content: INTERRUPTED, is_error: true };
    return { ...result, wire_id: call.wire_id };
  });
}

/** Hands out wire ids: the provider's own when it is legal everywhere and new in this history, else one from ours. */
class WireIds {
  readonly #used = new Set<string>();

  of(call: ToolUseBlock): string {
    const own = `call_${call.call_id.replaceAll("-", "")}`;
    const given = /^[A-Za-z0-9_-]{1,40}$/.test(call.wire_id) && !this.#used.has(call.wire_id);
    let id = given ? call.wire_id : own;
    for (let n = 2; this.#used.has(id); n++) id = `${own}_${n}`;
    this.#used.add(id);
    return id;
  }
}
