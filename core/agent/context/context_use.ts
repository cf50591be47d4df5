import { contextMessages } from "../../session/mod.ts";
import type { SessionState } from "../../session/mod.ts";
import type { Message, ToolSchema } from "../../types/mod.ts";
import { contextTokens, messageTokens, textTokens, toolTokens } from "./token_count.ts";

/** Who uses what of a model's window, in tokens. Counts are estimates but for `used` where `counted` is true. */
export interface ContextUse {
  model: string;
  window: number;
  /** What the next request has before anything new is said. */
  used: number;
  /** True where most of `used` was counted by the provider. */
  counted: boolean;
  /** What is left of the window. */
  free: number;
  /** From this size on the conversation is compacted before a request. */
  compact_at: number;
  /** The system prompt without the project's instructions. */
  system: number;
  tools: number;
  instructions: number;
  /** Lists and texts of skills, as far as the conversation holds them. */
  skills: number;
  /** The rest of the conversation. */
  messages: number;
  /** What each tool takes, largest first. */
  by_tool: { name: string; tokens: number }[];
  /** What each instruction file takes, in their order. */
  by_file: { path: string; tokens: number }[];
  /** Messages of the whole conversation, and how many of them the next request carries as themselves. */
  all_messages: number;
  kept_messages: number;
  compactions: number;
}

/** What the conversation is held against. */
export interface ContextFrame {
  model: string;
  window: number;
  /** Share of the window from which on it is compacted. */
  threshold: number;
  tools: readonly ToolSchema[];
  instructions: readonly { path: string; text: string }[];
}

/** Who uses what of the window at this moment. */
export function contextUse(state: Readonly<SessionState>, frame: ContextFrame): ContextUse {
  const { model, window, threshold, tools } = frame;
  const { tokens: used, counted } = contextTokens(state, tools);
  const shown = contextMessages(state);
  const by_file = frame.instructions.map(({ path, text }) => ({ path, tokens: textTokens(text) }));
  const instructions = by_file.reduce((sum, { tokens }) => sum + tokens, 0);
  const skills = skillTokens(shown, state.skills);
  return {
    model,
    window,
    used,
    counted,
    free: Math.max(0, window - used),
    compact_at: Math.floor(window * threshold),
    system: Math.max(0, textTokens(state.system) - instructions),
    tools: toolTokens(tools),
    instructions,
    skills,
    messages: messageTokens(shown) - skills,
    by_tool: tools.map((tool) => ({ name: tool.name, tokens: toolTokens([tool]) }))
      .sort((a, b) => b.tokens - a.tokens),
    by_file,
    all_messages: state.messages.length,
    kept_messages: shown.length - (shown.length > 0 && shown[0] !== state.messages[0] ? 1 : 0),
    compactions: state.compactions.length,
  };
}

/** What a conversation holds of skills: their list, what was loaded by a call or as a prompt, what a compaction kept. */
function skillTokens(messages: readonly Message[], used: SessionState["skills"]): number {
  const loads = new Set<string>();
  let sum = 0;
  for (const { role, content } of messages) {
    for (const block of content) {
      if (block.type === "tool_use" && block.name === "Skill") loads.add(block.call_id);
      else if (block.type === "tool_result" && loads.has(block.call_id)) sum += textTokens(block.content);
      else if (role === "user" && block.type === "text") {
        if (block.text.startsWith("<skill name=")) {
          sum += textTokens(block.text);
          continue;
        }
        const lists = block.text.match(/^<skills>\n[^]*?<\/skills>$/gm) ?? [];
        const called = used.flatMap(({ text }) => text !== "" && block.text.includes(text) ? [text] : []);
        for (const part of [...lists, ...called]) sum += textTokens(part);
      }
    }
  }
  return sum;
}
