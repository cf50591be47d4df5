import { isJsonObject, type JsonObject } from "../../types/mod.ts";
import { type Answer, type Frame, ordered } from "./answer.ts";

const STOP_REASONS = {
  end_turn: "end_turn",
  tool_use: "tool_use",
  max_tokens: "max_tokens",
  refusal: "refusal",
  stop_sequence: "stop_sequence",
  pause: "pause_turn",
} as const;

/**
 * An answer as the event stream of Anthropic's messages API
 * (https://docs.anthropic.com/en/docs/build-with-claude/streaming).
 */
export function anthropicFrames(answer: Answer): Frame[] {
  const { fault } = answer;
  const frames: Frame[] = [];
  const add = (type: string, rest: JsonObject, closing = false) =>
    frames.push({ event: type, data: JSON.stringify({ type, ...rest }), ...(closing ? { closing } : {}) });

  if (!fault.no_message_start) {
    add("message_start", { message: { ...messageHead(answer), content: [], usage: startUsage(answer) } });
  }
  if (fault.unknown_events) add("message_hint", { hint: { level: 1 } });
  const blocks = blockEvents(answer);
  const [first] = blocks;
  if (first?.[0] !== undefined) add(...first.shift()!);
  add("ping", {});
  const calls = blocks.filter((block) => block.tool);
  for (const block of blocks) if (!block.tool) { for (const event of block) add(...event); }
  for (const event of ordered(calls, fault.interleave === true)) add(...event);

  add("message_delta", {
    delta: { stop_reason: stopReason(answer), stop_sequence: stopSequence(answer) },
    ...(fault.no_usage ? {} : { usage: { output_tokens: answer.usage.output } }),
  }, true);
  add("message_stop", {}, true);
  return frames;
}

/** The same answer for a request that does not stream. */
export function anthropicMessage(answer: Answer): JsonObject {
  const content: JsonObject[] = [];
  if (answer.thinking.length > 0) {
    content.push({ type: "thinking", thinking: answer.thinking.join(""), signature: answer.signature });
  }
  if (answer.redacted_thinking !== undefined) {
    content.push({ type: "redacted_thinking", data: answer.redacted_thinking });
  }
  if (answer.text.length > 0) content.push({ type: "text", text: answer.text.join("") });
  for (const call of answer.calls) {
    content.push({
      type: "tool_use",
      id: call.id,
      name: call.name,
      input: wholeInput(call.arguments.join("")),
    });
  }
  const usage = { ...startUsage(answer), output_tokens: answer.usage.output };
  return {
    ...messageHead(answer),
    content,
    stop_reason: stopReason(answer),
    stop_sequence: stopSequence(answer),
    ...(answer.fault.no_usage ? {} : { usage }),
  };
}

/** Malformed arguments exist in streams alone: the input of a whole message is always an object. */
function wholeInput(text: string): JsonObject {
  try {
    const value = JSON.parse(text);
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

type Block = [type: string, rest: JsonObject][] & { tool?: boolean };

function blockEvents(answer: Answer): Block[] {
  const blocks: Block[] = [];
  const begin = (content_block: JsonObject, deltas: JsonObject[], tool = false) => {
    const index = blocks.length;
    const block: Block = [["content_block_start", { index, content_block }]];
    for (const delta of deltas) block.push(["content_block_delta", { index, delta }]);
    block.push(["content_block_stop", { index }]);
    block.tool = tool;
    blocks.push(block);
  };
  const unknown = answer.fault.unknown_events ? [{ type: "hint_delta", hint: "?" }] : [];
  if (answer.thinking.length > 0) {
    begin({ type: "thinking", thinking: "", signature: "" }, [
      ...answer.thinking.map((thinking) => ({ type: "thinking_delta", thinking })),
      { type: "signature_delta", signature: answer.signature },
    ]);
  }
  if (answer.redacted_thinking !== undefined) {
    begin({ type: "redacted_thinking", data: answer.redacted_thinking }, []);
  }
  if (answer.text.length > 0) {
    begin({ type: "text", text: "" }, [
      ...answer.text.map((text) => ({ type: "text_delta", text })),
      ...unknown,
    ]);
  }
  for (const call of answer.calls) {
    // a call without arguments has no delta at all
    const parts = call.arguments.join("") === "{}" ? [] : ["", ...call.arguments];
    begin(
      { type: "tool_use", id: call.id, name: call.name, input: {} },
      parts.map((partial_json) => ({ type: "input_json_delta", partial_json })),
      true,
    );
  }
  return blocks;
}

function messageHead(answer: Answer): JsonObject {
  return {
    id: `msg_scripted_${answer.n}`,
    type: "message",
    role: "assistant",
    model: answer.model,
    stop_reason: null,
    stop_sequence: null,
  };
}

function startUsage(answer: Answer): JsonObject {
  if (answer.fault.no_usage) return { input_tokens: 0, output_tokens: 0 };
  return {
    input_tokens: answer.usage.input,
    cache_creation_input_tokens: answer.usage.cache_write,
    cache_read_input_tokens: answer.usage.cache_read,
    output_tokens: 1,
  };
}

function stopReason(answer: Answer): string {
  return answer.fault.finish_reason ?? STOP_REASONS[answer.stop];
}

function stopSequence(answer: Answer): string | null {
  return answer.stop === "stop_sequence" ? "STOP" : null;
}
