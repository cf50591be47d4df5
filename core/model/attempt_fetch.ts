import { errorMessage, type World } from "../base/mod.ts";
import { cleanEvents } from "./clean_events.ts";
import type { Wire } from "./endpoint.ts";
import type { HttpClients } from "./http_clients.ts";
import { IdleWatchdog } from "./idle_watchdog.ts";
import { ModelError, type ModelErrorCategory } from "./model_error.ts";
import { categorise, type ProviderError, readErrorBody, readProviderError } from "./provider_error.ts";
import { redact } from "./redact.ts";
import { retryAfter } from "./retry_after.ts";

/** Bytes of an error body that are read. */
const ERROR_BODY_CAP = 64 * 1024;

/** The version that compatible servers know; what we use of the wire is the same in the later one. */
const COMPATIBLE_VERSION = "2023-06-01";
/** The version for Anthropic's own hosts, the one the SDK is made for. */
const OFFICIAL_VERSION = "2026-10-21";

export interface AttemptSettings {
  wire: Wire;
  /** `model at url`, for messages. */
  label: string;
  api_key: string | undefined;
  /** Values that must never appear in a message. */
  secrets: readonly (string | undefined)[];
  idle_timeout_ms: number;
  clients: HttpClients;
  world: World;
}

/**
 * One attempt on the wire: the `fetch` an SDK gets, and the true reason when it fails (the SDKs wrap and rename what a
 * `fetch` throws, and take an abort for a normal end). Answers are cleaned by `cleanEvents`, failures typed, silence
 * ended. `close()` always ends everything the attempt holds.
 */
export class AttemptFetch {
  /** Why the attempt failed; set before anything is thrown. */
  failure: ModelError | undefined;
  readonly #controller = new AbortController();
  readonly #watchdog: IdleWatchdog;
  #trailing: IdleWatchdog | undefined;
  readonly #onAbort: () => void;

  constructor(private readonly settings: AttemptSettings, private readonly outer: AbortSignal) {
    this.#onAbort = () =>
      this.#fail(new ModelError("The model request was aborted", { category: "aborted" }));
    const { world, idle_timeout_ms: limit, label } = settings;
    this.#watchdog = new IdleWatchdog(world, limit, () => {
      const silence = `${label}: no data for ${limit / 1000} s; raise the idle timeout or try again`;
      this.#fail(new ModelError(silence, { category: "timeout" }));
    });
    if (outer.aborted) this.#onAbort();
    else outer.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** For the SDK call. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  close(): void {
    this.#watchdog.stop();
    this.#trailing?.stop();
    this.outer.removeEventListener("abort", this.#onAbort);
    this.#controller.abort();
  }

  /** From now on silence may last only `ms`: what still comes is not needed. */
  limitSilence(ms: number): void {
    const { world, label } = this.settings;
    this.#trailing ??= new IdleWatchdog(world, ms, () => {
      this.#fail(new ModelError(`${label}: nothing followed the answer`, { category: "timeout" }));
    });
    this.#trailing.arm();
  }

  /** What to throw for `thrown`, or for an end that was none. */
  reason(thrown: unknown): ModelError {
    if (this.failure) return this.failure;
    if (thrown instanceof ModelError) return thrown;
    return this.#error("unknown", errorMessage(thrown), { cause: thrown });
  }

  /** The error of a stream that ended before its proper end. */
  endOfStream(): ModelError {
    return this.failure ?? this.#error("network", "the stream ended before the answer was complete");
  }

  /** An error about the content of the answer. */
  refuse(category: ModelErrorCategory, words: string): ModelError {
    return this.failure ?? this.#error(category, words);
  }

  /** The `fetch` for the SDK. */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    try {
      return await this.#fetch(new URL(input instanceof Request ? input.url : input), init ?? {});
    } catch (thrown) {
      const why = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
      throw this.#fail(
        this.failure ??
          (thrown instanceof ModelError ? thrown : this.#error(
            "network",
            `cannot be reached: ${plainReason(why)}; check the address and the network`,
            { cause: thrown },
          )),
      );
    }
  };

  async #fetch(url: URL, init: RequestInit): Promise<Response> {
    if (this.failure) throw this.failure;
    const client = await this.settings.clients.clientFor(url);
    this.#watchdog.arm();
    const response = await fetch(url, {
      method: "POST",
      body: init.body ?? null,
      headers: this.#headers(url.hostname),
      signal: this.#controller.signal,
      redirect: "manual", // a redirect could carry the key to another host
      client,
    });
    if (!response.ok) throw await this.#refused(response);
    if (!response.body) throw this.#error("network", "the answer has no body");
    return new Response(this.#cleanBody(response.body, response.headers), {
      headers: { "content-type": "text/event-stream" },
    });
  }

  /** Only what the wire needs: neither the SDK's telemetry nor headers it took from the environment. */
  #headers(host: string): Headers {
    const headers = new Headers({
      "accept": "text/event-stream",
      "accept-encoding": "identity", // a compressing gateway holds events back
      "content-type": "application/json",
      "user-agent": "lumina",
    });
    const key = this.settings.api_key;
    if (this.settings.wire === "anthropic") {
      const official = host === "anthropic.com" || host.endsWith(".anthropic.com");
      headers.set("anthropic-version", official ? OFFICIAL_VERSION : COMPATIBLE_VERSION);
      if (key) headers.set("x-api-key", key);
      // compatible servers and gateways want the one or the other
      if (key && !official) headers.set("authorization", `Bearer ${key}`);
    } else if (key) headers.set("authorization", `Bearer ${key}`);
    return headers;
  }

  #cleanBody(body: ReadableStream<Uint8Array>, headers: Headers): ReadableStream<Uint8Array> {
    const events = cleanEvents(body, this.settings.wire, {
      waiting: () => this.#watchdog.arm(),
      data: () => this.#watchdog.disarm(),
      signal: this.#controller.signal,
      failure: (event, value) => {
        const found = readProviderError(value) ??
          (event === "error" ? readErrorBody(JSON.stringify(value)) : undefined);
        return found && this.#provider(undefined, found, headers);
      },
    });
    const encoder = new TextEncoder();
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const { value, done } = await events.next();
          if (done) {
            this.#watchdog.disarm();
            controller.close();
          } else {controller.enqueue(
              encoder.encode(`event: ${value.type || "message"}\ndata: ${value.json}\n\n`),
            );}
        } catch (thrown) {
          controller.error(this.#fail(
            this.failure ??
              (thrown instanceof ModelError
                ? this.#named(thrown)
                : this.#error("network", `the connection broke: ${errorMessage(thrown)}`, { cause: thrown })),
          ));
        }
      },
      cancel: async () => {
        this.#controller.abort();
        await events.return(undefined);
      },
    }, { highWaterMark: 0 });
  }

  async #refused(response: Response): Promise<ModelError> {
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      const target = response.headers.get("location") ?? "another address";
      return this.#error("invalid_request", `redirects to ${target}; set base_url to the final address`, {
        status: response.status,
      });
    }
    const raw = await readCapped(response, this.#controller.signal);
    if (this.failure) throw this.failure;
    this.#watchdog.disarm();
    return this.#provider(response.status, readErrorBody(raw), response.headers);
  }

  #provider(status: number | undefined, error: ProviderError, headers: Headers): ModelError {
    const category = categorise(status, error);
    const shown = status ?? error.status;
    const words = [
      shown === undefined ? "error in the stream" : `HTTP ${shown}`,
      error.codes[0] ?? category,
    ].join(" ");
    const advice = ADVICE[category] ?? "";
    const wait = retryAfter(headers, this.settings.world);
    const id = headers.get("request-id") ?? headers.get("x-request-id");
    return this.#error(category, `${words}${error.message === "" ? "" : `: ${error.message}`}${advice}`, {
      ...(shown === undefined ? {} : { status: shown }),
      ...(id === null ? {} : { request_id: id }),
      ...(wait === undefined || status === undefined ? {} : { retry_after_ms: wait }),
    });
  }

  #error(
    category: ModelErrorCategory,
    words: string,
    more: { status?: number; request_id?: string; retry_after_ms?: number; cause?: unknown } = {},
  ): ModelError {
    return new ModelError(redact(`${this.settings.label}: ${words}`, this.settings.secrets), {
      category,
      ...more,
    });
  }

  #named(error: ModelError): ModelError {
    const known = error.message.startsWith(this.settings.label);
    return known ? error : this.#error(error.category, error.message, { cause: error });
  }

  #fail(error: ModelError): ModelError {
    this.failure ??= error;
    this.#watchdog.stop();
    this.#controller.abort();
    return this.failure;
  }
}

/** What to do about a refusal that only the user can end. */
const ADVICE: Partial<Record<ModelErrorCategory, string>> = {
  authentication_failed: "; check the API key",
  model_not_found: "; check the model's name and the address",
};

/** Deno's words for a failed connection without its steps and the address, which the line names already. */
function plainReason(why: unknown): string {
  return errorMessage(why).replace(
    /^error sending request for url \([^)]*\): (client error \(Connect\): )?/,
    "",
  );
}

/** The beginning of a body as text; what cannot be read is left out, since the status already says what failed. */
async function readCapped(response: Response, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  const reader = response.body?.getReader();
  if (!reader) return text;
  const giveUp = () => {
    reader.cancel().catch(() => {/* it had already failed: the status stands */});
  };
  signal.addEventListener("abort", giveUp, { once: true }); // see `cleanEvents`
  try {
    while (text.length < ERROR_BODY_CAP) {
      const { value, done } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
    }
    await reader.cancel();
  } catch {
    // a broken error body: the status stands
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
  return text;
}
