import type { Message, UserBlock } from "../types/mod.ts";
import type { Compaction } from "./compaction_record.ts";
import type { SessionEvent } from "./events.ts";
import type { SessionState } from "./state.ts";
import { asModelMayHave } from "./thinking.ts";

/**
 * The messages that the next request carries: the conversation as its compactions leave it, for `model` without the
 * reasoning of other models.
 */
export function contextMessages(
  state: Readonly<Pick<SessionState, "messages" | "origins" | "compactions" | "thought">>,
  model?: string,
): readonly Message[] {
  const { messages, origins, compactions } = state;
  const foreign = model !== undefined && Object.values(state.thought).some((other) => other !== model);
  if (compactions.length === 0 && !foreign) return messages;
  const head = compactions.findLast((one) => one.head !== undefined)?.head;
  const replaced = new Map(compactions.flatMap((one) => Object.entries(one.replaced)));
  const from = head?.from ?? 0;
  const kept = messages.slice(from).map((message, index) => {
    const shown = foreign ? asModelMayHave(message, origins[from + index] ?? 0, model, state) : message;
    return withReplaced(shown, replaced);
  });
  if (head === undefined) return kept;
  return [{ role: "user", content: head.texts.map((text) => ({ type: "text", text })) }, ...kept];
}

/** The first message of the conversation that is still shown as itself. */
export function keptFrom({ compactions }: Readonly<Pick<SessionState, "compactions">>): number {
  return compactions.findLast((one) => one.head !== undefined)?.head?.from ?? 0;
}

/**
 * The conversation was cut to its first `length` messages, and is as it was before the event `until`: compactions that came
 * later never happened.
 */
export function cutCompactions(
  compactions: readonly Compaction[],
  length: number,
  until: number,
): Compaction[] {
  return compactions.flatMap((one) => {
    if (one.seq >= until || (one.head !== undefined && one.head.from > length)) return [];
    return [{ ...one, at: Math.min(one.at, length) }];
  });
}

/** Folds a compaction: where the message is missing that should be the first one, the conversation stays whole. */
export function evolveCompaction(
  state: SessionState,
  { seq, payload: { head, from, replaced } }: SessionEvent & { type: "session.compacted" },
): void {
  const at = state.messages.length;
  const named = from === null ? at : state.origins.indexOf(from ?? 0);
  const first = state.messages[named]?.content.some(({ type }) => type === "tool_result") ? -1 : named;
  state.anchor = null;
  state.compactions.push({
    seq,
    at,
    ...(head === undefined || first < 0 ? {} : { head: { texts: head, from: first } }),
    replaced: Object.fromEntries(replaced.map(({ call_id, content }) => [call_id, content])),
  });
}

/** What the provider counted for the conversation up to its last answer, which stands right before its usage. */
export function anchorContext(
  state: SessionState,
  { chain = "main", usage }: (SessionEvent & { type: "usage.recorded" })["payload"],
): void {
  const { input, output, cache_read, cache_write } = usage;
  const tokens = input + output + cache_read + cache_write;
  const own = chain === "main" || chain === "subagent" && state.agent !== "";
  if (own && tokens > 0 && state.messages.at(-1)?.role === "assistant") {
    state.anchor = { at: state.messages.length, tokens };
  }
}

/** The same message where nothing of it is replaced: its identity and its bytes stay. */
function withReplaced(message: Message, replaced: ReadonlyMap<string, string>): Message {
  if (message.role !== "user") return message;
  let changed = false;
  const content = message.content.map((block): UserBlock => {
    const text = block.type === "tool_result" ? replaced.get(block.call_id) : undefined;
    if (text === undefined || block.type !== "tool_result") return block;
    changed = true;
    const { call_id, is_error } = block;
    return { type: "tool_result", call_id, content: text, is_error };
  });
  return changed ? { role: "user", content } : message;
}
