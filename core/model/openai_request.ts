import type { JsonObject, MediaBlock } from "../types/mod.ts";
import type { ModelTraits } from "./catalogue.ts";
import { type PairedAssistant, type PairedMessage, pairHistory } from "./history.ts";
import type { ModelRequest } from "./port.ts";
import { recentMedia } from "./recent_media.ts";
import { wellFormed } from "./well_formed.ts";
import { openaiMedia, takes, withheldText } from "./withheld_media.ts";

/** What stands before a failed result, since this wire has no field for it. */
export const ERROR_PREFIX = "[ERROR] ";

export interface OpenaiLimits {
  /** Sent only when the user set it. */
  max_output_tokens: number | undefined;
  /** True for OpenAI's own endpoint, which has another name for the limit. */
  official: boolean;
}

/**
 * The body of a chat completions request. `messages` only ever grows at its end. Thinking is dropped, but for models
 * whose provider wants the reasoning of a message with calls back (`replay_reasoning` in the catalogue).
 */
export function openaiRequest(
  request: ModelRequest,
  model: string,
  limits: OpenaiLimits,
  traits: ModelTraits,
): JsonObject {
  const messages: JsonObject[] = [];
  if (request.system !== "") messages.push({ role: "system", content: request.system });
  for (const message of pairHistory(recentMedia(request.messages))) {
    messages.push(...wireMessages(message, traits));
  }
  const body: JsonObject = { model, messages, stream: true, stream_options: { include_usage: true } };
  if (request.tools.length > 0) {
    body["tools"] = request.tools.map((tool) => ({
      type: "function",
      function: { name: tool.name, description: tool.description, parameters: tool.input_schema },
    }));
  }
  if (limits.max_output_tokens !== undefined) {
    const limit = Math.min(limits.max_output_tokens, request.max_output ?? limits.max_output_tokens);
    body[limits.official ? "max_completion_tokens" : "max_tokens"] = limit;
  }
  if (request.effort !== undefined) {
    body["reasoning_effort"] = request.effort === "max" ? traits.max_effort : request.effort;
  }
  return wellFormed(body);
}

function wireMessages(message: PairedMessage, traits: ModelTraits): JsonObject[] {
  if (message.role === "assistant") return wireAnswer(message, traits);
  const shows = (block: MediaBlock) => takes(traits.accepts, block);
  /** This wire's results are text alone: what they show follows in a user's message. */
  const parts: JsonObject[] = [];
  const show = (media: readonly MediaBlock[], words: string) => {
    const shown = media.filter(shows);
    if (shown.length > 0 && words !== "") parts.push({ type: "text", text: words });
    parts.push(...shown.map(openaiMedia));
  };
  const wire: JsonObject[] = message.results.map(({ wire_id, content, is_error, media = [] }) => {
    show(media, `What the call ${wire_id} shows:`);
    const text = [content, ...media.filter((block) => !shows(block)).map(withheldText)].join("\n");
    return { role: "tool", tool_call_id: wire_id, content: is_error ? ERROR_PREFIX + text : text };
  });
  show(message.media, "");
  const texts = [...message.media.filter((block) => !shows(block)).map(withheldText), ...message.texts];
  if (parts.length > 0) {
    wire.push({ role: "user", content: [...parts, ...texts.map((text) => ({ type: "text", text }))] });
  } else if (texts.length > 0) wire.push({ role: "user", content: texts.join("\n\n") });
  return wire;
}

function wireAnswer(message: PairedAssistant, traits: ModelTraits): JsonObject[] {
  let text = "";
  let reasoning = "";
  const calls: JsonObject[] = [];
  for (const block of message.content) {
    if (block.type === "text") text += block.text;
    else if (block.type === "thinking" && block.signature === undefined) reasoning += block.text;
    else if (block.type === "tool_use") {
      const args = JSON.stringify(block.malformed ? {} : wellFormed(block.input));
      calls.push({ id: block.wire_id, type: "function", function: { name: block.name, arguments: args } });
    }
  }
  if (text.trim() === "" && calls.length === 0) return [];
  const answer: JsonObject = { role: "assistant", content: text === "" ? null : text };
  if (traits.replay_reasoning && reasoning !== "" && calls.length > 0) {
    answer["reasoning_content"] = reasoning;
  }
  if (calls.length > 0) answer["tool_calls"] = calls;
  return [answer];
}
