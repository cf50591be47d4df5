import assert from "node:assert/strict";
import { categorise, readErrorBody, readProviderError } from "./provider_error.ts";

const http = (status: number, body: unknown) =>
  categorise(status, readErrorBody(typeof body === "string" ? body : JSON.stringify(body)));

Deno.test("the status decides, and structured fields where the status leaves it open", () => {
  const none = { error: { message: "authentication 404 not found overloaded rate limit" } };
  const by: [number, string][] = [
    [400, "invalid_request"],
    [401, "authentication_failed"],
    [402, "billing_error"],
    [403, "authentication_failed"],
    [404, "invalid_request"],
    [408, "timeout"],
    [409, "server_error"],
    [413, "window_overflow"],
    [422, "invalid_request"],
    [429, "rate_limit"],
    [500, "server_error"],
    [503, "server_error"],
    [529, "overloaded"],
  ];
  for (const [status, category] of by) assert.equal(http(status, none), category, String(status));
  assert.equal(
    http(404, { type: "error", error: { type: "not_found_error", message: "model: x" } }),
    "model_not_found",
  );
  assert.equal(
    http(404, { error: { code: "model_not_found", type: "invalid_request_error" } }),
    "model_not_found",
  );
  assert.equal(
    http(429, { error: { code: "insufficient_quota", type: "insufficient_quota" } }),
    "billing_error",
  );
  assert.equal(http(503, { error: { type: "overloaded_error" } }), "overloaded");
  assert.equal(http(400, { error: { code: "invalid_api_key" } }), "authentication_failed");
});

Deno.test("a full window is known by its code, and by the documented beginning of a message where there is none", () => {
  assert.equal(
    http(400, { error: { code: "context_length_exceeded", type: "invalid_request_error" } }),
    "window_overflow",
  );
  const llama = {
    error: { code: 400, message: "request (9 tokens) exceeds", type: "exceed_context_size_error" },
  };
  assert.equal(http(400, llama), "window_overflow");
  const said = (message: string) =>
    http(400, { type: "error", error: { type: "invalid_request_error", message } });
  assert.equal(said("prompt is too long: 204873 tokens > 200000 maximum"), "window_overflow");
  assert.equal(
    said("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease"),
    "window_overflow",
  );
  assert.equal(
    said("This model's maximum context length is 8192 tokens. However, you requested"),
    "window_overflow",
  );
  assert.equal(said("your file says: prompt is too long: 9 tokens > 8 maximum"), "invalid_request");
  assert.equal(http(429, { error: { message: "prompt is too long: 9 tokens > 8 maximum" } }), "rate_limit");
});

Deno.test("inside a stream the kind is read from type and code, or from a number that is a status", () => {
  const stream = (body: unknown) => categorise(undefined, readProviderError(body)!);
  assert.equal(
    stream({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
    "overloaded",
  );
  assert.equal(stream({ type: "error", error: { type: "api_error" } }), "server_error");
  assert.equal(stream({ error: { code: 429, message: "slow" } }), "rate_limit");
  assert.equal(stream({ error: { code: "502" } }), "server_error");
  assert.equal(stream({ error: "stopped" }), "server_error");
  assert.equal(stream({ error: { type: "never_seen" } }), "unknown");
  assert.equal(
    stream({ object: "error", message: "prompt is too long: 9 tokens > 8 maximum" }),
    "window_overflow",
  );
});

Deno.test("events that carry no error are none", () => {
  for (
    const body of [null, [], "x", {}, { error: null }, { type: "message_stop" }, { choices: [], error: null }]
  ) {
    assert.equal(readProviderError(body), undefined);
  }
});

Deno.test("error bodies of every shape give the provider's words", () => {
  const words = (body: unknown) =>
    readErrorBody(typeof body === "string" ? body : JSON.stringify(body)).message;
  assert.equal(words({ error: { message: "a" } }), "a");
  assert.equal(words({ error: "b" }), "b");
  assert.equal(words({ detail: "c" }), "c");
  assert.equal(words([{ error: { message: "d", status: "INVALID_ARGUMENT" } }]), "d");
  assert.equal(words("Bad Gateway\n"), "Bad Gateway");
  assert.equal(words("<html>x</html>"), "");
  assert.equal(words({ detail: [{ msg: "e" }] }), '[{"msg":"e"}]');
});
