import { LuminaError } from "../base/mod.ts";
import type { Usage } from "../types/mod.ts";
import { anthropicWire } from "./anthropic_wire.ts";
import { abilitiesOf, Catalogue, limitsOf } from "./catalogue.ts";
import {
  anthropicBase,
  type Endpoint,
  type ModelOptions,
  openaiBase,
  resolveApiType,
  shownUrl,
} from "./endpoint.ts";
import { withFallback } from "./fallback.ts";
import { HttpClients } from "./http_clients.ts";
import { openaiWire } from "./openai_wire.ts";
import type { Model, ModelEvent, ModelRequest } from "./port.ts";
import type { Provider } from "./provider.ts";
import { urlSecrets } from "./redact.ts";
import { ReplayProvider } from "./replay.ts";
import { WireProvider } from "./wire_provider.ts";

export const DEFAULT_IDLE_TIMEOUT_MS = 300_000;
export const DEFAULT_MAX_ATTEMPTS = 4;
/** How long usage may trail an answer that is complete. */
const TRAILING_MS = 3_000;

/** A model that holds connections. */
export interface OpenModel extends Model {
  /** US dollars of `usage` of `model` (primary or fallback); null when its price is not known. */
  costOf(model: string, usage: Usage): number | null;
  /** Closes its HTTP clients. Requests must have ended. */
  close(): void;
}

/**
 * Makes a model from settings. The SDK of the primary's wire begins to load at once; nothing is sent before `stream`.
 * Throws `model.catalogue`, or `model.settings` for an endpoint that cannot work.
 */
export function createModel(options: ModelOptions): OpenModel {
  const { primary, fallback, world } = options;
  const catalogue = Catalogue.load(options.models_file, options.prices);
  const files = [options.ca_file, ...(options.extra_ca_files ?? [])].filter((file) =>
    file !== undefined && file !== ""
  );
  const clients = new HttpClients({ proxy: options.proxy ?? {}, ca_files: files as string[] });
  const first = makeProvider(primary, options, catalogue, clients, true);
  // a replay is held against its recording: nothing else may answer, and what failed must not be tried again
  const replayed = primary.api_type === "replay";
  const second = replayed
    ? undefined
    : fallback && makeProvider(fallback, options, catalogue, clients, false);
  const known = catalogue.find(primary.model);
  const limits = limitsOf(primary, known, options.local_window);
  return {
    name: primary.model,
    ...limits,
    ...abilitiesOf(primary, known),
    costOf: (model, usage) => catalogue.costOf(model, usage),
    stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
      const max_attempts = replayed ? 1 : options.max_attempts ?? DEFAULT_MAX_ATTEMPTS;
      return withFallback(first, second, request, signal, { max_attempts, world });
    },
    close: () => clients.close(),
  };
}

function makeProvider(
  endpoint: Endpoint,
  options: ModelOptions,
  catalogue: Catalogue,
  clients: HttpClients,
  eager: boolean,
): Provider {
  const { model } = endpoint;
  if (model.trim() === "") throw settings("The model's name is empty; set model or LUMINA_MODEL");
  if (endpoint.api_type === "replay") {
    const source = endpoint.recording ?? endpoint.replay_file;
    if (!source) {
      throw settings(
        `The model ${model} has api_type replay and no file to replay: give --replay-file, or set api_replay_file or LUMINA_API_REPLAY_FILE`,
      );
    }
    return new ReplayProvider(model, source);
  }
  const wire = resolveApiType(endpoint);
  const base = wire === "anthropic" ? anthropicBase(endpoint) : openaiBase(endpoint);
  const url = URL.parse(base);
  if (url?.protocol !== "http:" && url?.protocol !== "https:") {
    throw settings(`The base URL ${shownUrl(base)} is not an http or https address; correct base_url`);
  }
  const entry = catalogue.find(model);
  const { max_output } = limitsOf(endpoint, entry, options.local_window);
  const traits = { ...entry, ...abilitiesOf(endpoint, entry) };
  return new WireProvider({
    model,
    wire,
    label: `${model} at ${shownUrl(base)}`,
    api_key: endpoint.api_key,
    secrets: [endpoint.api_key, ...[base, options.proxy?.http, options.proxy?.https].flatMap(urlSecrets)],
    idle_timeout_ms: options.idle_timeout_ms ?? DEFAULT_IDLE_TIMEOUT_MS,
    trailing_ms: TRAILING_MS,
    clients,
    world: options.world,
    adapter: wire === "anthropic"
      ? anthropicWire(endpoint, max_output, traits, eager)
      : openaiWire(endpoint, traits, eager),
  });
}

function settings(message: string): LuminaError {
  return new LuminaError("model.settings", message, { exit: 2 });
}
