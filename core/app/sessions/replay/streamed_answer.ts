import type { SessionEvent } from "../../../session/mod.ts";
import type { AssistantBlock, ModelEvent, Usage } from "../../../types/mod.ts";

/** What a provider could have streamed for an answer that is recorded: each block in one piece. */
export function streamedAnswer(
  { model, message_id, stop, message }: (SessionEvent & { type: "model.answered" })["payload"],
  usage: Usage,
): ModelEvent[] {
  return [
    { type: "start", model, message_id, usage },
    ...message.content.flatMap((block, index) => streamedBlock(block, index)),
    { type: "done", message, stop, usage, model, message_id },
  ];
}

function streamedBlock(block: AssistantBlock, index: number): ModelEvent[] {
  const end: ModelEvent = { type: "block_end", index };
  switch (block.type) {
    case "text":
      return [{ type: "text", index, text: block.text }, end];
    case "thinking":
      return [
        { type: "thinking", index, text: block.text },
        ...(block.signature === undefined
          ? []
          : [{ type: "signature", index, signature: block.signature } satisfies ModelEvent]),
        end,
      ];
    case "redacted_thinking":
      return [{ type: "redacted_thinking", index, data: block.data }, end];
    case "tool_use": {
      const { call_id, wire_id, name } = block;
      const json = block.malformed?.raw ?? JSON.stringify(block.input);
      return [
        { type: "tool_start", index, call_id, wire_id, name },
        { type: "tool_input", index, json },
        end,
      ];
    }
  }
}
