import { LuminaError, systemWorld, type World } from "../../base/mod.ts";
import { isJsonObject, type JsonObject } from "../../types/mod.ts";
import { HttpConnection, type HttpRequest } from "./http_connection.ts";
import { parseScript } from "./parse_script.ts";
import { type RecordedRequest, RequestLog } from "./request_log.ts";
import { Responder } from "./responder.ts";
import type { ProviderScriptInput } from "./script_schema.ts";
import { wireOfPath } from "./wire_request.ts";

/** A running scripted provider. */
export interface ScriptedProvider {
  /** `http://127.0.0.1:<port>`, without a path; any prefix before `/messages` or `/chat/completions` is fine. */
  readonly url: string;
  /** Every model request so far, in order of arrival; retries and refused ones too. */
  readonly requests: readonly RecordedRequest[];
  /** The `n`th request (from 1) once it has arrived; rejects when the provider is closed before, or after 60 s. */
  waitForRequest(n: number): Promise<RecordedRequest>;
  /** The `n`th request once its answer has ended in one way or another. */
  waitForEnd(n: number): Promise<RecordedRequest>;
  /** Lets all turns go on that hold under this name, now and later. */
  release(name: string): void;
  /** Breaks every connection and frees the port. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ProviderOptions {
  /** 0 (the default) takes a free port. */
  port?: number;
  world?: World;
  /** Called for each model request as it arrives. */
  onRequest?: (request: RecordedRequest) => void;
}

/**
 * Starts an HTTP server on loopback that answers from a script, on Anthropic's wire (`POST …/messages`) and OpenAI's
 * (`POST …/chat/completions`), streaming or not. Rejects with `model.script_invalid`
 * for a script that is none. A request that no turn fits gets HTTP 500 `script_exhausted`.
 */
export function startScriptedProvider(
  script: ProviderScriptInput,
  options: ProviderOptions = {},
): Promise<ScriptedProvider> {
  return Promise.try(() => start(script, options));
}

function start(script: ProviderScriptInput, options: ProviderOptions): ScriptedProvider {
  const world = options.world ?? systemWorld;
  const log = new RequestLog(world);
  const responder = new Responder(parseScript(script), world);
  const listener = listen(options.port ?? 0);
  const open = new Map<HttpConnection, Promise<void>>();

  async function serve(connection: HttpConnection): Promise<void> {
    for (let request; (request = await connection.readRequest()) !== null;) {
      if (!await answer(connection, request)) break;
    }
    await connection.close();
  }

  async function answer(connection: HttpConnection, request: HttpRequest): Promise<boolean> {
    const wire = wireOfPath(request.path);
    if (request.method !== "POST" || wire === undefined) {
      return await responder.unknownPath(connection, request);
    }
    const raw = new TextDecoder().decode(request.body);
    const recorded = log.add({
      wire,
      path: request.path,
      headers: request.headers,
      body: parseBody(raw),
      raw,
      at_ms: world.mono(),
    });
    options.onRequest?.(recorded);
    const outcome = await responder.answer(connection, recorded);
    log.end(recorded.n, outcome);
    return outcome === "complete";
  }

  async function accept(): Promise<void> {
    for await (const conn of listener) {
      const connection = new HttpConnection(conn);
      open.set(connection, serve(connection).finally(() => open.delete(connection)));
    }
  }
  const accepting = accept();

  const provider: ScriptedProvider = {
    url: `http://127.0.0.1:${listener.addr.port}`,
    requests: log.requests,
    waitForRequest: (n) => log.arrived(n),
    waitForEnd: (n) => log.ended(n),
    release: (name) => responder.release(name),
    async close() {
      try {
        listener.close();
      } catch {
        return; // closed before
      }
      const serving = [...open.values()];
      const closing = [...open.keys()].map((connection) => connection.close());
      await Promise.all([accepting, ...closing, ...serving]);
      log.close();
    },
    [Symbol.asyncDispose]: () => provider.close(),
  };
  return provider;
}

function listen(port: number): Deno.TcpListener {
  try {
    return Deno.listen({ hostname: "127.0.0.1", port });
  } catch (error) {
    throw new LuminaError("model.script_port", `Cannot listen on 127.0.0.1:${port}: choose another --port`, {
      cause: error,
    });
  }
}

function parseBody(raw: string): JsonObject | null {
  try {
    const value = JSON.parse(raw);
    return isJsonObject(value) ? value : null;
  } catch {
    return null; // the responder refuses it in the wire's words
  }
}
