import type { JsonObject } from "../../types/mod.ts";
import { type Answer, type Frame, ordered } from "./answer.ts";

const FINISH_REASONS = {
  end_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  refusal: "content_filter",
  stop_sequence: "stop",
  pause: "stop",
} as const;

/**
 * An answer as the event stream of OpenAI's chat completions API
 * (https://platform.openai.com/docs/api-reference/chat-streaming). `include_usage` as the request's stream options say.
 */
export function openaiFrames(answer: Answer, include_usage: boolean): Frame[] {
  const { fault } = answer;
  const frames: Frame[] = [];
  const add = (rest: JsonObject, closing = false) =>
    frames.push({
      data: JSON.stringify({ ...head(answer), object: "chat.completion.chunk", ...rest }),
      ...(closing ? { closing } : {}),
    });
  const delta = (delta: JsonObject, finish_reason: string | null = null) =>
    add({ choices: [{ index: 0, delta, logprobs: null, finish_reason }] }, finish_reason !== null);

  delta({ role: "assistant", content: "" });
  if (fault.unknown_events) delta({ hint: { level: 1 } });
  for (const reasoning_content of answer.thinking) delta({ reasoning_content });
  for (const content of answer.text) delta({ content });
  const calls = answer.calls.map((call, at) => callDeltas(call, at, fault.index));
  for (const call of ordered(calls, fault.interleave === true)) delta({ tool_calls: [call] });
  delta({}, finishReason(answer));
  if (include_usage && !fault.no_usage) add({ choices: [], usage: usage(answer) }, true);
  if (!fault.no_done) frames.push({ data: "[DONE]", closing: true });
  return frames;
}

/** The same answer for a request that does not stream. */
export function openaiCompletion(answer: Answer): JsonObject {
  const message: JsonObject = { role: "assistant", content: answer.text.join("") || null };
  if (answer.thinking.length > 0) message.reasoning_content = answer.thinking.join("");
  if (answer.calls.length > 0) {
    message.tool_calls = answer.calls.map((call) => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: call.arguments.join("") },
    }));
  }
  return {
    ...head(answer),
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(answer) }],
    ...(answer.fault.no_usage ? {} : { usage: usage(answer) }),
  };
}

function callDeltas(
  call: Answer["calls"][number],
  at: number,
  index: Answer["fault"]["index"],
): JsonObject[] {
  const number = index === "zero" ? 0 : index === "sparse" ? at * 3 + 2 : at;
  const place: JsonObject = index === "missing" ? {} : { index: number };
  const later: JsonObject = index === "first_only" ? {} : place;
  return [
    { ...place, id: call.id, type: "function", function: { name: call.name, arguments: "" } },
    ...call.arguments.map((part) => ({ ...later, function: { arguments: part } })),
  ];
}

function head(answer: Answer): JsonObject {
  return { id: `chatcmpl-scripted-${answer.n}`, created: answer.created, model: answer.model };
}

function usage(answer: Answer): JsonObject {
  const { input, output, cache_read, cache_write } = answer.usage;
  const prompt_tokens = input + cache_read + cache_write; // this wire counts cached tokens in
  return {
    prompt_tokens,
    completion_tokens: output,
    total_tokens: prompt_tokens + output,
    prompt_tokens_details: { cached_tokens: cache_read },
  };
}

function finishReason(answer: Answer): string {
  return answer.fault.finish_reason ?? FINISH_REASONS[answer.stop];
}
