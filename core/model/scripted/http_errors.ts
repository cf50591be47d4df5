import type { Wire } from "./wire_request.ts";
import type { HttpPreset } from "./script_schema.ts";

/** An HTTP error: status and the body in the words of the wire. */
export interface WireError {
  status: number;
  body: string;
}

/** The body of an error as each service writes it. `code` exists on the OpenAI wire alone. */
export function wireError(
  wire: Wire,
  status: number,
  error: { type: string; message: string; code?: string },
): WireError {
  const body = wire === "anthropic"
    ? { type: "error", error: { type: error.type, message: error.message }, request_id: "req_scripted" }
    : { error: { message: error.message, type: error.type, param: null, code: error.code ?? null } };
  return { status, body: JSON.stringify(body) };
}

/** The texts of the two services, as they were seen in public reports. */
export function presetError(wire: Wire, preset: HttpPreset, model: string): WireError {
  const anthropic = wire === "anthropic";
  const make = (status: number, type: string, message: string, code?: string) =>
    wireError(wire, status, { type, message, ...(code === undefined ? {} : { code }) });
  switch (preset) {
    case "rate_limit":
      return anthropic
        ? make(
          429,
          "rate_limit_error",
          "This request would exceed your organization's rate limit: too many tokens per minute (50,000 input tokens). " +
            "Reduce the prompt length or try again later.",
        )
        : make(
          429,
          "tokens",
          `Rate limit reached for ${model} on tokens per min (TPM): Limit 30000, Used 29500, Requested 1200. ` +
            "Please try again in 1.4s.",
          "rate_limit_exceeded",
        );
    case "overloaded":
      return anthropic
        ? make(529, "overloaded_error", "Overloaded")
        : make(503, "server_error", "The engine is currently overloaded, please try again later");
    case "server_error":
      return anthropic
        ? make(500, "api_error", "Internal server error")
        : make(500, "server_error", "The server had an error while processing your request");
    case "auth":
      return anthropic
        ? make(401, "authentication_error", "invalid x-api-key")
        : make(401, "invalid_request_error", "Incorrect API key provided: sk-…", "invalid_api_key");
    case "overflow":
      return anthropic
        ? make(400, "invalid_request_error", "prompt is too long: 210411 tokens > 200000 maximum")
        : make(
          400,
          "invalid_request_error",
          "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens. " +
            "Please reduce the length of the messages.",
          "context_length_exceeded",
        );
    case "not_found":
      return anthropic ? make(404, "not_found_error", `model: ${model}`) : make(
        404,
        "invalid_request_error",
        `The model \`${model}\` does not exist or you do not have access to it.`,
        "model_not_found",
      );
    case "bad_request":
      return anthropic
        ? make(400, "invalid_request_error", "messages: roles must alternate")
        : make(400, "invalid_request_error", "Invalid value for 'messages'", "invalid_value");
  }
}
