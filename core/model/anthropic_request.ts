import type { AssistantBlock, Json, JsonObject, MediaBlock, MediaSupport } from "../types/mod.ts";
import type { ModelTraits } from "./catalogue.ts";
import { type PairedMessage, pairHistory } from "./history.ts";
import type { ModelRequest } from "./port.ts";
import { recentMedia } from "./recent_media.ts";
import { wellFormed } from "./well_formed.ts";
import { anthropicMedia, takes, withheldText } from "./withheld_media.ts";

const EPHEMERAL: JsonObject = { type: "ephemeral" };

/**
 * The body of a Messages API request. `messages` only ever grows at its end: cache markers stand on the system prompt
 * and the last tool; for Claude the request's own `cache_control` lets the server mark the last message.
 * Thinking goes back only with its signature, byte for byte; malformed calls go back with empty input.
 */
export function anthropicRequest(
  request: ModelRequest,
  model: string,
  maxOutput: number,
  traits: ModelTraits,
): JsonObject {
  const body: JsonObject = {
    model,
    max_tokens: Math.min(maxOutput, request.max_output ?? maxOutput),
    stream: true,
  };
  if (request.system !== "") {
    body["system"] = [{ type: "text", text: request.system, cache_control: EPHEMERAL }];
  }
  if (request.tools.length > 0) {
    const last = request.tools.length - 1;
    body["tools"] = request.tools.map((tool, at): JsonObject => ({
      name: tool.name,
      description: tool.description,
      input_schema: tool.input_schema,
      ...(at === last ? { cache_control: EPHEMERAL } : {}),
    }));
  }
  body["messages"] = pairHistory(recentMedia(request.messages)).map((one) => wireMessage(one, traits.accepts))
    .filter((
      message,
    ) => message !== undefined);
  if (/^claude/i.test(model)) body["cache_control"] = EPHEMERAL;
  if (request.effort !== undefined) {
    body["output_config"] = { effort: request.effort };
    if (traits.adaptive_thinking) body["thinking"] = { type: "adaptive" };
  }
  return wellFormed(body);
}

function wireMessage(message: PairedMessage, accepts: MediaSupport): JsonObject | undefined {
  if (message.role === "assistant") {
    const content = message.content.map(wireBlock).filter((block) => block !== undefined);
    return content.length === 0 ? undefined : { role: "assistant", content };
  }
  const content: JsonObject[] = message.results.map((result) => ({
    type: "tool_result",
    tool_use_id: result.wire_id,
    content: resultContent(result.content, result.media, accepts),
    ...(result.is_error ? { is_error: true } : {}),
  }));
  for (const block of message.media) content.push(shown(block, accepts));
  for (const text of message.texts) content.push({ type: "text", text });
  return { role: "user", content };
}

function resultContent(text: string, media: readonly MediaBlock[] = [], accepts: MediaSupport): Json {
  if (media.length === 0) return text;
  const blocks = media.map((block) => shown(block, accepts));
  return text === "" ? blocks : [{ type: "text", text }, ...blocks];
}

function shown(block: MediaBlock, accepts: MediaSupport): JsonObject {
  return takes(accepts, block) ? anthropicMedia(block) : { type: "text", text: withheldText(block) };
}

function wireBlock(block: AssistantBlock): JsonObject | undefined {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? undefined : { type: "text", text: block.text };
    case "thinking":
      return block.signature === undefined
        ? undefined
        : { type: "thinking", thinking: block.text, signature: block.signature };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: block.data };
    case "tool_use":
      return {
        type: "tool_use",
        id: block.wire_id,
        name: block.name,
        input: block.malformed ? {} : block.input,
      };
  }
}
