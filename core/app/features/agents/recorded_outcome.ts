import type { Recording } from "../../../model/mod.ts";
import type { ToolOutcome } from "../../../plugin_api/mod.ts";

/** What a call gave when it was recorded: a replay asks no model for what a sub-agent would answer. */
export function recordedOutcome({ records }: Recording, call_id: string): ToolOutcome {
  for (const { request } of records) {
    for (const { content } of request?.messages ?? []) {
      for (const block of content) {
        if (block.type === "tool_result" && block.call_id === call_id) {
          return { content: block.content, is_error: block.is_error };
        }
      }
    }
  }
  return {
    content: "The recording holds no result of this call, and a replay has no sub-agents",
    is_error: true,
  };
}
