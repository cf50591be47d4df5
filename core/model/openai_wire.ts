import type { JsonObject } from "../types/mod.ts";
import { NO_SDK_TIMEOUT_MS } from "./anthropic_wire.ts";
import type { ModelTraits } from "./catalogue.ts";
import { type Endpoint, openaiBase } from "./endpoint.ts";
import { openaiRequest } from "./openai_request.ts";
import { OpenaiStream } from "./openai_stream.ts";
import type { WireAdapter } from "./wire_provider.ts";

const load = () => import("./openai_sdk.ts");

/** Chat completions through OpenAI's SDK; `eager` begins to load it at once. The key goes as a bearer token. */
export function openaiWire(endpoint: Endpoint, traits: ModelTraits, eager: boolean): WireAdapter {
  let sdk = eager ? load() : undefined;
  sdk?.catch(() => {/* the first request waits for it and reports */});
  const base = openaiBase(endpoint);
  const limits = {
    max_output_tokens: endpoint.max_output_tokens,
    official: URL.parse(base)?.hostname === "api.openai.com",
  };
  return {
    body: (request) => openaiRequest(request, endpoint.model, limits, traits),
    async send(body, attempt) {
      const { OpenAI } = await (sdk ??= load());
      // every option that has an environment variable is given; headers are settled in the attempt's fetch
      const client = new OpenAI({
        apiKey: endpoint.api_key || "none",
        adminAPIKey: null,
        organization: null,
        project: null,
        webhookSecret: null,
        baseURL: base,
        maxRetries: 0,
        timeout: NO_SDK_TIMEOUT_MS,
        logLevel: "off",
        fetch: attempt.fetch,
      });
      return await client.post<AsyncIterable<JsonObject>>("/chat/completions", {
        body,
        stream: true,
        signal: attempt.signal,
      });
    },
    reader(builder) {
      const stream = new OpenaiStream(builder);
      return {
        push(event) {
          stream.push(event);
          return stream.complete ? "answered" : "more";
        },
        end(attempt) {
          const broken = stream.broken;
          if (broken) return attempt.refuse(broken, `the provider stopped the answer (${broken})`);
          stream.finish();
          return undefined;
        },
      };
    },
  };
}
