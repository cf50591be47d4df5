import { isJsonObject, type Json, type JsonObject } from "../types/mod.ts";
import type { ModelErrorCategory } from "./model_error.ts";

/** What a provider said went wrong, from any of the shapes that are in use. */
export interface ProviderError {
  /** The provider's words; may be empty. */
  message: string;
  /** Structured identifiers (`type`, `code`, `status`), lower case. */
  codes: string[];
  /** A number in `code` that is an HTTP status. */
  status?: number;
}

/** Structured identifiers of Anthropic, OpenAI and compatible servers. The first that is known decides. */
const CATEGORY_BY_CODE: Readonly<Record<string, ModelErrorCategory>> = {
  context_length_exceeded: "window_overflow",
  exceed_context_size_error: "window_overflow",
  model_context_window_exceeded: "window_overflow",
  request_too_large: "window_overflow",
  insufficient_quota: "billing_error",
  billing_hard_limit_reached: "billing_error",
  billing_not_active: "billing_error",
  insufficient_balance: "billing_error",
  exceeded_current_quota_error: "billing_error",
  billing_error: "billing_error",
  rate_limit_error: "rate_limit",
  rate_limit_exceeded: "rate_limit",
  rate_limit_reached_error: "rate_limit",
  resource_exhausted: "rate_limit",
  too_many_requests: "rate_limit",
  overloaded_error: "overloaded",
  engine_overloaded_error: "overloaded",
  engine_overloaded: "overloaded",
  service_unavailable: "overloaded",
  authentication_error: "authentication_failed",
  invalid_authentication_error: "authentication_failed",
  invalid_api_key: "authentication_failed",
  permission_error: "authentication_failed",
  permission_denied_error: "authentication_failed",
  model_not_found: "model_not_found",
  not_found_error: "model_not_found",
  timeout_error: "timeout",
  api_error: "server_error",
  server_error: "server_error",
  internal_error: "server_error",
  internal_server_error: "server_error",
  invalid_request_error: "invalid_request",
};

/**
 * Providers that name a full window in words alone. Each pattern is the documented beginning of that message:
 * Anthropic's two, and the one of OpenAI that vLLM and DeepSeek share.
 */
const OVERFLOW_WORDS: readonly RegExp[] = [
  /^prompt is too long: \d+ tokens > \d+ maximum/,
  /^input length and `max_tokens` exceed context limit: \d+ \+ \d+ > \d+/,
  /^This model's maximum context length is \d+ tokens\b/,
];

/** Reads an error body that has been parsed; undefined when `body` does not say that something failed. */
export function readProviderError(body: unknown): ProviderError | undefined {
  if (!isJsonObject(body)) return undefined;
  const inner = body["error"];
  if (typeof inner === "string") return build(inner, body);
  if (isJsonObject(inner)) return build(text(inner["message"]) || text(inner["detail"]), inner);
  if (body["type"] === "error" || body["object"] === "error") return build(text(body["message"]), body);
  return undefined;
}

/** The same for the body of a response whose status says that it failed: any object, or plain text, will do. */
export function readErrorBody(raw: string): ProviderError {
  let body: unknown;
  try {
    body = JSON.parse(raw);
  } catch {
    // an HTML page or plain words of a gateway
    return { message: /^\s*</.test(raw) ? "" : raw.trim(), codes: [] };
  }
  const first: unknown = Array.isArray(body) ? body[0] : body; // Gemini's compatible endpoint wraps it in an array
  const known = readProviderError(first);
  if (known) return known;
  if (!isJsonObject(first)) return { message: raw.trim(), codes: [] };
  return build(text(first["message"]) || text(first["detail"]) || text(first["msg"]) || raw.trim(), first);
}

/** The category of a failure, by status and structured identifiers. `status` is absent inside a stream. */
export function categorise(status: number | undefined, error: ProviderError): ModelErrorCategory {
  const effective = status ?? error.status;
  const named = error.codes.map((code) => CATEGORY_BY_CODE[code]).filter((category) =>
    category !== undefined
  );
  const specific = named.find((category) => category !== "invalid_request") ?? named[0];
  if (effective === 429) return specific === "billing_error" ? "billing_error" : "rate_limit";
  const refused = effective === undefined || (effective >= 400 && effective < 500);
  if (refused && OVERFLOW_WORDS.some((pattern) => pattern.test(error.message))) return "window_overflow";
  if (effective !== undefined && effective >= 500) {
    if (effective === 529 || specific === "overloaded") return "overloaded";
    // llama.cpp before 2026 answered 500 for a full window
    return specific === "window_overflow" ? "window_overflow" : "server_error";
  }
  if (effective === 401 || effective === 403) {
    return specific === "billing_error" ? "billing_error" : "authentication_failed";
  }
  if (effective === 402) return "billing_error";
  if (effective === 408) return "timeout";
  if (effective === 409) return "server_error";
  if (effective === 413) return "window_overflow";
  if (specific !== undefined) return effective === undefined ? specific : forRefusal(specific);
  if (effective !== undefined) return refused ? "invalid_request" : "unknown";
  // a failure inside a stream that names no kind: the request had been accepted, so the server broke
  return error.codes.length === 0 ? "server_error" : "unknown";
}

/** A 4xx is final whatever its body says, unless the status itself is one of the passing ones. */
function forRefusal(category: ModelErrorCategory): ModelErrorCategory {
  const passing = ["rate_limit", "overloaded", "server_error", "timeout"];
  return passing.includes(category) ? "invalid_request" : category;
}

function build(message: string, source: JsonObject): ProviderError {
  const codes: string[] = [];
  for (const key of ["code", "type", "status"]) {
    const value = source[key];
    if (typeof value === "string" && value !== "" && value !== "error") codes.push(value.toLowerCase());
  }
  const code = Number(source["code"]);
  const result: ProviderError = { message: message.trim(), codes };
  if (Number.isInteger(code) && code >= 400 && code <= 599) result.status = code;
  return result;
}

function text(value: Json | undefined): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
