import type { JsonObject } from "../types/mod.ts";
import { anthropicRequest } from "./anthropic_request.ts";
import { AnthropicStream } from "./anthropic_stream.ts";
import type { ModelTraits } from "./catalogue.ts";
import { anthropicBase, type Endpoint } from "./endpoint.ts";
import type { WireAdapter } from "./wire_provider.ts";

const load = () => import("./anthropic_sdk.ts");

/**
 * Anthropic's Messages API through its SDK; `eager` begins to load it at once. The key goes as `x-api-key`, to servers
 * other than Anthropic's also as a bearer token.
 */
export function anthropicWire(
  endpoint: Endpoint,
  maxOutput: number,
  traits: ModelTraits,
  eager: boolean,
): WireAdapter {
  let sdk = eager ? load() : undefined;
  sdk?.catch(() => {/* the first request waits for it and reports */});
  return {
    body: (request) => anthropicRequest(request, endpoint.model, maxOutput, traits),
    async send(body, attempt) {
      const { BaseAnthropic } = await (sdk ??= load());
      // every option that has an environment variable is given; headers are settled in the attempt's fetch
      const client = new BaseAnthropic({
        apiKey: endpoint.api_key || "none",
        webhookKey: null,
        baseURL: anthropicBase(endpoint),
        maxRetries: 0,
        timeout: NO_SDK_TIMEOUT_MS,
        logLevel: "off",
        openTelemetry: false,
        fetch: attempt.fetch,
      });
      // not `messages.create`: it writes warnings about old models to the console
      return await client.post<AsyncIterable<JsonObject>>("/v1/messages", {
        body,
        stream: true,
        signal: attempt.signal,
      });
    },
    reader(builder) {
      const stream = new AnthropicStream(builder);
      return { push: (event) => stream.push(event) ? "complete" : "more", end: () => undefined };
    },
  };
}

/** The attempt's watchdog decides; this is the longest a timer takes. */
export const NO_SDK_TIMEOUT_MS = 2 ** 31 - 1;
