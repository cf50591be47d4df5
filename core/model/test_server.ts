import { systemWorld, type World } from "../base/mod.ts";
import { createModel, type OpenModel } from "./create_model.ts";
import type { Endpoint, ModelOptions } from "./endpoint.ts";
import { ModelError } from "./model_error.ts";
import type { ModelEvent, ModelRequest } from "./port.ts";

/** Support for this module's tests: a real HTTP server on loopback, a model that speaks to it, and a quick world. */

/** The real world without chance: retries follow at once, ids count up. */
export function quickWorld(): World {
  let ids = 0;
  return {
    ...systemWorld,
    random: () => 0,
    uuid: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, "0")}`,
  };
}

export interface SeenRequest {
  url: string;
  headers: Headers;
  body: string;
}

export interface TestServer extends AsyncDisposable {
  url: string;
  requests: SeenRequest[];
}

/** Serves `answer` on a free port and remembers the requests. The last answer of a list serves all further ones. */
export function serve(
  ...answers: ((request: Request, index: number) => Response | Promise<Response>)[]
): TestServer {
  const requests: SeenRequest[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const index = requests.length;
    requests.push({ url: request.url, headers: request.headers, body: await request.clone().text() });
    return await (answers[index] ?? answers.at(-1)!)(request, index);
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** A streamed answer whose body arrives in the given pieces; `open` keeps it open after the last. */
export function streamed(pieces: (string | Uint8Array)[], init: ResponseInit = {}, open = false): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) {
        controller.enqueue(typeof piece === "string" ? encoder.encode(piece) : piece);
      }
      if (!open) controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" }, ...init });
}

export function modelFor(primary: Partial<Endpoint>, more: Partial<ModelOptions> = {}): OpenModel {
  return createModel({
    primary: { api_type: "auto", model: "test-model", api_key: "sk-test-secret", ...primary },
    world: quickWorld(),
    models_file: new URL("../../resources/models.json", import.meta.url),
    ...more,
  });
}

export const HELLO: ModelRequest = {
  system: "Be brief.",
  messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
  tools: [],
};

/** Runs one request to its end. */
export async function run(
  model: OpenModel,
  request: ModelRequest = HELLO,
  signal: AbortSignal = new AbortController().signal,
): Promise<{ events: ModelEvent[]; error: ModelError | undefined }> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(request, signal)) events.push(event);
  } catch (error) {
    if (error instanceof ModelError) return { events, error };
    throw error;
  } finally {
    model.close();
  }
  return { events, error: undefined };
}

/** The `done` event; fails when there is none. */
export function done(events: ModelEvent[]): Extract<ModelEvent, { type: "done" }> {
  const last = events.at(-1);
  if (last?.type !== "done") throw new Error(`No done event but ${JSON.stringify(last)}`);
  return last;
}

/** Server-sent events of Anthropic's wire. */
export function anthropicSse(events: { type: string; [key: string]: unknown }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

/** Server-sent events of OpenAI's wire, with `[DONE]`. */
export function openaiSse(chunks: unknown[]): string {
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("") + "data: [DONE]\n\n";
}

export function anthropicText(text: string): { type: string; [key: string]: unknown }[] {
  return [
    { type: "message_start", message: { id: "msg_1", usage: { input_tokens: 7, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "ping" },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];
}

export function openaiText(text: string): unknown[] {
  return [
    { id: "c1", choices: [{ index: 0, delta: { role: "assistant", content: "" } }] },
    { id: "c1", choices: [{ index: 0, delta: { content: text } }] },
    { id: "c1", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { id: "c1", choices: [], usage: { prompt_tokens: 9, completion_tokens: 3 } },
  ];
}
