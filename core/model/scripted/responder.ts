import type { World } from "../../base/mod.ts";
import { isJsonObject, type JsonObject } from "../../types/mod.ts";
import { anthropicFrames, anthropicMessage } from "./anthropic_frames.ts";
import { type Answer, type Frame, makeAnswer } from "./answer.ts";
import { refusal } from "./check_request.ts";
import type { HttpConnection, HttpRequest } from "./http_connection.ts";
import { presetError, wireError } from "./http_errors.ts";
import { openaiCompletion, openaiFrames } from "./openai_frames.ts";
import { keepAliveBytes, planStream, type StreamPlan } from "./plan_stream.ts";
import type { AnswerOutcome, RecordedRequest } from "./request_log.ts";
import type { Fault, ProviderScript, Turn } from "./script_schema.ts";
import { TurnQueue } from "./turn_queue.ts";
import { lastUserText, type Wire } from "./wire_request.ts";

const KEEP_ALIVE_MS = 20;

/** Answers requests from a script, one connection at a time or many. */
export class Responder {
  readonly #turns: TurnQueue;
  readonly #gates = new Map<string, { opened: Promise<void>; open(): void }>();

  constructor(readonly script: ProviderScript, readonly world: World) {
    this.#turns = new TurnQueue(script);
  }

  /** Lets go everything that holds under `name`, now and later. */
  release(name: string): void {
    this.#gate(name).open();
  }

  /** Answers one model request. Anything but `complete` means that the connection is of no more use. */
  async answer(connection: HttpConnection, request: RecordedRequest): Promise<AnswerOutcome> {
    const { wire, body } = request;
    const model = typeof body.model === "string" ? body.model : "";
    const refused = this.#refuse(request);
    if (refused !== undefined) return await sendJson(connection, refused.status, refused.body);
    const turn = this.#turns.next(lastUserText(body));
    if ("exhausted" in turn) {
      const message = `${turn.exhausted} (request ${request.n})`;
      const { status, body } = wireError(wire, 500, {
        type: "script_exhausted",
        message,
        code: "script_exhausted",
      });
      return await sendJson(connection, status, body, { "x-should-retry": "false" });
    }
    if (turn.delay_ms > 0 && !await this.#pause(turn.delay_ms, connection)) return "gone";
    const { http } = turn.fault;
    if (http !== undefined) {
      const error = typeof http === "string" ? presetError(wire, http, model) : http;
      const text = typeof error.body === "string" ? error.body : JSON.stringify(error.body);
      const headers = typeof http === "string" ? {} : http.headers;
      const retry = turn.fault.retry_after === undefined ? {} : { "retry-after": turn.fault.retry_after };
      return await sendJson(connection, error.status, text, { ...headers, ...retry });
    }
    const answer = makeAnswer(turn, {
      n: request.n,
      model,
      created: Math.floor(this.world.now() / 1000),
      id_prefix: wire === "anthropic" ? "toolu_" : "call_",
      request_bytes: new TextEncoder().encode(request.raw).length,
    });
    if (body.stream !== true) {
      const whole = wire === "anthropic" ? anthropicMessage(answer) : openaiCompletion(answer);
      return await sendJson(connection, 200, JSON.stringify(whole));
    }
    return await this.#stream(connection, planOf(wire, body, answer, turn), turn);
  }

  /** Says what this server is to a request for anything else. */
  async unknownPath(connection: HttpConnection, request: HttpRequest): Promise<boolean> {
    const message =
      `Cannot answer ${request.method} ${request.path}: only POST …/messages and POST …/chat/completions`;
    const outcome = await sendJson(
      connection,
      404,
      JSON.stringify({ error: { type: "not_found_error", message } }),
    );
    return outcome === "complete";
  }

  #refuse(request: RecordedRequest): { status: number; body: string } | undefined {
    const { wire, headers } = request;
    const key = headers["x-api-key"] ?? headers["authorization"]?.replace(/^Bearer /, "");
    if (this.script.check && !key || this.script.api_key !== undefined && key !== this.script.api_key) {
      return presetError(wire, "auth", "");
    }
    const message = this.script.check ? refusal(wire, request.body) : undefined;
    return message === undefined
      ? undefined
      : wireError(wire, 400, { type: "invalid_request_error", message });
  }

  async #stream(connection: HttpConnection, plan: StreamPlan, turn: Turn): Promise<AnswerOutcome> {
    const { fault } = turn;
    const type = fault.content_type === undefined ? "text/event-stream; charset=utf-8" : fault.content_type;
    const head = ["HTTP/1.1 200 OK", "cache-control: no-cache", "transfer-encoding: chunked"];
    if (type !== null) head.push(`content-type: ${type}`);
    if (!await connection.write(`${head.join("\r\n")}\r\n\r\n`)) return "gone";
    for (const [at, bytes] of plan.writes.entries()) {
      if (at === plan.hold_before && !await this.#hold(turn, connection)) return "gone";
      if (at > 0 && fault.drip_ms && !await this.#pause(fault.drip_ms, connection)) return "gone";
      if (connection.gone.aborted || !await writeChunk(connection, bytes)) return "gone";
    }
    if (plan.hold_before === plan.writes.length && !await this.#hold(turn, connection)) return "gone";
    if (plan.end === "stall") return await this.#stall(connection, fault);
    if (plan.end === "reset") return "cut";
    return await connection.write("0\r\n\r\n") ? "complete" : "gone";
  }

  async #stall(connection: HttpConnection, fault: Fault): Promise<AnswerOutcome> {
    const bytes = keepAliveBytes(fault);
    while (bytes !== undefined && await this.#pause(fault.keep_alive_ms ?? KEEP_ALIVE_MS, connection)) {
      if (!await writeChunk(connection, bytes)) break;
    }
    await aborted(connection.gone);
    return "gone";
  }

  async #hold(turn: Turn, connection: HttpConnection): Promise<boolean> {
    await Promise.race([this.#gate(turn.hold?.name ?? "").opened, aborted(connection.gone)]);
    return !connection.gone.aborted;
  }

  /** Waits; false when the client has gone meanwhile. */
  async #pause(ms: number, connection: HttpConnection): Promise<boolean> {
    try {
      await this.world.sleep(ms, connection.gone);
      return true;
    } catch {
      return false; // the signal is the only reason to reject
    }
  }

  #gate(name: string): { opened: Promise<void>; open(): void } {
    let gate = this.#gates.get(name);
    if (gate === undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = { opened: promise, open: resolve };
      this.#gates.set(name, gate);
    }
    return gate;
  }
}

function planOf(wire: Wire, body: JsonObject, answer: Answer, turn: Turn): StreamPlan {
  const options = body.stream_options;
  const include_usage = isJsonObject(options) && options.include_usage === true;
  const frames = wire === "anthropic" ? anthropicFrames(answer) : openaiFrames(answer, include_usage);
  const error = turn.fault.error ?? { type: "overloaded_error", message: "Overloaded" };
  const error_frame: Frame = { data: wireError(wire, 200, error).body };
  if (wire === "anthropic") error_frame.event = "error";
  return planStream(frames, error_frame, turn.fault, turn.hold?.after_frames);
}

function writeChunk(connection: HttpConnection, bytes: Uint8Array): Promise<boolean> {
  const head = new TextEncoder().encode(`${bytes.length.toString(16)}\r\n`);
  const chunk = new Uint8Array(head.length + bytes.length + 2);
  chunk.set(head);
  chunk.set(bytes, head.length);
  chunk.set([13, 10], head.length + bytes.length);
  return connection.write(chunk);
}

async function sendJson(
  connection: HttpConnection,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): Promise<AnswerOutcome> {
  const all = { "content-type": "application/json", ...headers };
  const bytes = new TextEncoder().encode(body);
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = `HTTP/1.1 ${status} Scripted\r\n${lines}content-length: ${bytes.length}\r\n\r\n`;
  return await connection.write(head) && await connection.write(bytes) ? "complete" : "gone";
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
