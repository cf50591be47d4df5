import { LuminaError } from "../base/mod.ts";
import type { AssistantMessage, JsonObject } from "../types/mod.ts";

/** What went wrong, for programs. Closed set; the names up to `max_output_tokens` are those of stream-json. */
export const MODEL_ERROR_CATEGORIES = [
  "authentication_failed",
  "billing_error",
  "rate_limit",
  "overloaded",
  "invalid_request",
  "model_not_found",
  "server_error",
  "max_output_tokens",
  "window_overflow",
  "timeout",
  "network",
  "protocol",
  "aborted",
  "unknown",
] as const;
export type ModelErrorCategory = (typeof MODEL_ERROR_CATEGORIES)[number];

/** Conditions that pass by themselves: only these are tried again, and only these let the fallback serve. */
const PASSING: ReadonlySet<ModelErrorCategory> = new Set([
  "rate_limit",
  "overloaded",
  "server_error",
  "timeout",
  "network",
]);

export interface ModelErrorOptions {
  category: ModelErrorCategory;
  /** HTTP status, when the provider answered with one. */
  status?: number;
  request_id?: string;
  /** How long the provider asked to wait, milliseconds. */
  retry_after_ms?: number;
  /** What had already streamed. */
  partial?: AssistantMessage | null;
  cause?: unknown;
}

/**
 * A failed model request; `code` is `model.<category>`. The message is one line with the provider's own words and
 * never holds the key.
 */
export class ModelError extends LuminaError {
  override readonly name = "ModelError";
  readonly category: ModelErrorCategory;
  readonly status?: number;
  readonly request_id?: string;
  readonly retry_after_ms?: number;
  /** What had already streamed when it failed; null when nothing had. Never an answer. */
  readonly partial: AssistantMessage | null;

  constructor(message: string, options: ModelErrorOptions) {
    const details: JsonObject = { category: options.category };
    if (options.status !== undefined) details.status = options.status;
    if (options.request_id !== undefined) details.request_id = options.request_id;
    super(`model.${options.category}`, message, {
      retry: PASSING.has(options.category) ? "backoff" : "never",
      details,
      ...(options.cause === undefined ? {} : { cause: options.cause }),
    });
    this.category = options.category;
    if (options.status !== undefined) this.status = options.status;
    if (options.request_id !== undefined) this.request_id = options.request_id;
    if (options.retry_after_ms !== undefined) this.retry_after_ms = options.retry_after_ms;
    this.partial = options.partial ?? null;
  }

  /** True when the same request may succeed later: 408, 409, 429, 5xx, network, end of stream, silence. */
  get passing(): boolean {
    return this.retry === "backoff";
  }

  /** The same error with other words or with the partial message; the original is its cause. */
  with(change: { message?: string; partial?: AssistantMessage | null }): ModelError {
    return new ModelError(change.message ?? this.message, {
      category: this.category,
      ...(this.status === undefined ? {} : { status: this.status }),
      ...(this.request_id === undefined ? {} : { request_id: this.request_id }),
      ...(this.retry_after_ms === undefined ? {} : { retry_after_ms: this.retry_after_ms }),
      partial: change.partial === undefined ? this.partial : change.partial,
      cause: this.cause ?? this,
    });
  }
}
