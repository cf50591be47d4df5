import * as z from "zod";
import type { JsonObject } from "../../types/mod.ts";

const count = z.int().nonnegative();
const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  "a JSON object",
);

/** Answers that are no stream: the texts and statuses of the two real services. */
export const HTTP_PRESETS = [
  "rate_limit",
  "overloaded",
  "server_error",
  "auth",
  "overflow",
  "not_found",
  "bad_request",
] as const;
export type HttpPreset = (typeof HTTP_PRESETS)[number];

/** What goes wrong while a turn is answered. Bytes count from the first byte of the (decoded) body. */
const fault = z.strictObject({
  /** Answer with an HTTP error instead of a stream: a preset in the wire's own words, or anything. */
  http: z.union([
    z.enum(HTTP_PRESETS),
    z.strictObject({
      status: z.int().min(200).max(599),
      headers: z.record(z.string(), z.string()).default({}),
      body: z.union([z.string(), jsonObject]).default(""),
    }),
  ]).optional(),
  /** The `Retry-After` header of that answer: seconds or an HTTP date. */
  retry_after: z.string().optional(),
  /** Replaces the content type of the stream; null sends none. */
  content_type: z.string().nullable().optional(),

  /** Line ends of the stream. */
  line_ending: z.enum(["lf", "crlf", "cr"]).optional(),
  /** A byte order mark before the first frame. */
  bom: z.boolean().optional(),
  /** `data:{…}` without the space. */
  no_space: z.boolean().optional(),
  /** Frames without `event:` (Anthropic wire). */
  no_event_names: z.boolean().optional(),
  /** The stream begins without `message_start` (Anthropic wire), as llama.cpp's server does now and then. */
  no_message_start: z.boolean().optional(),
  /** Each JSON document over several `data:` lines. */
  split_data: z.boolean().optional(),
  /** The stream ends without `data: [DONE]` (OpenAI wire). */
  no_done: z.boolean().optional(),
  /** The last frame lacks its blank line. */
  no_final_blank: z.boolean().optional(),
  /** The stream ends like a finished one, but without its closing events (stop reason, message_stop, [DONE]). */
  no_closing_events: z.boolean().optional(),
  /** Events and deltas of types that no client knows, which must be ignored. */
  unknown_events: z.boolean().optional(),
  /** One more text delta whose line is this long. */
  huge_line_bytes: count.optional(),

  /** Write this many bytes at a time, each in a write of its own. */
  chunk_bytes: z.int().positive().optional(),
  /** Wait between two writes, milliseconds. */
  drip_ms: count.optional(),
  /** End after this many bytes. */
  cut_after_bytes: count.optional(),
  /** End after this many frames. */
  cut_after_frames: count.optional(),
  /** `reset` breaks the connection inside the body; `end` closes the body as if it were complete. */
  cut: z.enum(["reset", "end"]).optional(),
  /** Send nothing more after this many bytes, until the client goes or the server closes. */
  stall_after_bytes: count.optional(),
  stall_after_frames: count.optional(),
  /** While stalled, send something that carries no data, every `keep_alive_ms` milliseconds (default 20). */
  keep_alive: z.enum(["comment", "ping", "blank"]).optional(),
  keep_alive_ms: z.int().positive().optional(),
  /** After this many frames: the wire's error event, and the end of the body. */
  error_after_frames: count.optional(),
  /** What that event says. */
  error: z.strictObject({ type: z.string(), message: z.string() }).optional(),

  /** `tool_calls[].index` on the OpenAI wire: absent, 0 in every call, with gaps, or on first fragments only. */
  index: z.enum(["missing", "zero", "sparse", "first_only"]).optional(),
  /** The fragments of parallel calls alternate. */
  interleave: z.boolean().optional(),
  /** The stop or finish reason as sent, whatever the turn says: `stop` with tool calls, for one. */
  finish_reason: z.string().optional(),
  /** No usage anywhere. */
  no_usage: z.boolean().optional(),
});

const toolCall = z.strictObject({
  name: z.string(),
  /** The arguments; strings inside may hold `{{variables}}`. */
  input: jsonObject.optional(),
  /** The arguments as they go over the wire, well-formed or not. */
  raw_arguments: z.string().optional(),
  /** The provider's id of the call; a fresh one by default. Give `call_0` in several turns to reuse it. */
  id: z.string().optional(),
}).refine((call) => call.input === undefined || call.raw_arguments === undefined, {
  error: "either input or raw_arguments, not both",
});

/** A text as one value, cut into deltas by the server, or as the exact deltas. */
const pieces = z.union([z.string(), z.array(z.string())]);

const turn = z.strictObject({
  /** Only for a request whose last user text or tool results contain this. */
  match: z.string().optional(),
  /** Answers any number of requests instead of one. */
  repeat: z.boolean().default(false),
  /** Variables taken from the last user text or tool results: name to regular expression with one group. */
  capture: z.record(z.string(), z.string()).default({}),
  thinking: pieces.optional(),
  /** Signature of the thinking (Anthropic wire). */
  signature: z.string().optional(),
  redacted_thinking: z.string().optional(),
  text: pieces.optional(),
  tool_calls: z.array(toolCall).default([]),
  /** Default: `tool_use` with tool calls, else `end_turn`. */
  stop: z.enum(["end_turn", "tool_use", "max_tokens", "refusal", "stop_sequence", "pause"]).optional(),
  /** Default: a quarter of the bytes. */
  usage: z.strictObject({
    input: count.optional(),
    output: count.optional(),
    cache_read: count.optional(),
    cache_write: count.optional(),
  }).default({}),
  /** Wait before the headers, milliseconds. */
  delay_ms: count.default(0),
  /** Wait after this many frames (0 = after the headers) until `release(name)` is called. */
  hold: z.strictObject({ name: z.string(), after_frames: count.default(0) }).optional(),
  fault: fault.default({}),
});

/**
 * What the scripted provider says: turns, used in order, the first unused one that fits. `{{name}}` in any text, input or
 * match stands for a variable of `vars` or of a turn's `capture`.
 */
export const providerScript = z.strictObject({
  vars: z.record(z.string(), z.string()).default({}),
  /** When given, any other key is refused with 401. */
  api_key: z.string().optional(),
  /** Refuse requests that the real services would refuse (calls and results that do not pair, empty texts, …). */
  check: z.boolean().default(true),
  turns: z.array(turn),
});

export type ProviderScript = z.infer<typeof providerScript>;
/** A script as it is written: everything with a default may be left out. */
export type ProviderScriptInput = z.input<typeof providerScript>;
export type Turn = z.infer<typeof turn>;
export type Fault = z.infer<typeof fault>;
