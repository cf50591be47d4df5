import { EXIT, LuminaError } from "../base/mod.ts";
import type { World } from "../base/mod.ts";
import type { ApiKeys, LoadedSettings, Settings } from "../config/mod.ts";
import type { Endpoint, ModelOptions, ProxySettings } from "../model/mod.ts";
import type { MediaSupport } from "../types/mod.ts";

interface EnvReader {
  get(name: string): string | undefined;
}

/**
 * What the settings say about the model. Throws `config.no_model` and `config.no_key` (exit 2) with the setting and
 * the variable that would help. A server on this machine needs no key.
 */
export async function modelOptions(
  loaded: LoadedSettings,
  keys: ApiKeys,
  env: EnvReader,
  world: World,
  models_file: URL,
): Promise<ModelOptions> {
  const { settings } = loaded;
  const model = settings.api_model;
  if (model === undefined || model === "") {
    throw new LuminaError(
      "config.no_model",
      "No model is configured: set LUMINA_API_MODEL, or api_model in settings.json, or give --model",
      { exit: EXIT.usage },
    );
  }
  const api_key = await keys.resolve(loaded, "main");
  const base_url = settings.api_base_url === "" ? undefined : settings.api_base_url;
  if (api_key === undefined && settings.api_type !== "replay" && !isLoopback(base_url)) {
    throw new LuminaError(
      "config.no_key",
      "No API key is configured: set LUMINA_API_KEY, or api_key (or api_key_file, api_key_helper) in settings.json",
      { exit: EXIT.usage },
    );
  }
  const fallback = settings.fallback_api_enabled ? await fallbackEndpoint(loaded, keys) : undefined;
  const proxy = proxySettings(env);
  return {
    primary: {
      api_type: settings.api_type ?? "auto",
      model,
      ...(base_url === undefined ? {} : { base_url }),
      ...(api_key === undefined ? {} : { api_key }),
      ...(settings.context_window === undefined ? {} : { context_window: settings.context_window }),
      ...(settings.max_output_tokens === undefined ? {} : { max_output_tokens: settings.max_output_tokens }),
      accepts: acceptedMedia(settings),
      ...(settings.api_replay_file === undefined ? {} : { replay_file: settings.api_replay_file }),
    },
    ...(fallback === undefined ? {} : { fallback }),
    ...(settings.api_max_tokens === undefined ? {} : { local_window: settings.api_max_tokens }),
    idle_timeout_ms: settings.api_stream_idle_timeout_seconds * 1000,
    max_attempts: settings.api_max_attempts,
    ...(settings.ca_file === undefined ? {} : { ca_file: settings.ca_file }),
    extra_ca_files: [env.get("NODE_EXTRA_CA_CERTS"), env.get("SSL_CERT_FILE")].filter((file) =>
      file !== undefined
    ),
    proxy,
    world,
    models_file,
    prices: settings.prices,
  };
}

/** What the settings say that the model takes or does not, whatever the catalogue says. */
function acceptedMedia({ model_images, model_pdf }: Settings): Partial<MediaSupport> {
  return {
    ...(model_images === "auto" ? {} : { images: model_images === "on" }),
    ...(model_pdf === "auto" ? {} : { pdf: model_pdf === "on" }),
  };
}

async function fallbackEndpoint(loaded: LoadedSettings, keys: ApiKeys): Promise<Endpoint> {
  const { settings } = loaded;
  const api_key = await keys.resolve(loaded, "fallback");
  const base_url = settings.fallback_api_base_url;
  const model = settings.fallback_api_model;
  if (!model || (api_key === undefined && !isLoopback(base_url))) {
    throw new LuminaError(
      "config.fallback",
      "fallback_api_enabled is true, but fallback_api_model or fallback_api_key is not set: set both, or switch it off",
      { exit: EXIT.usage },
    );
  }
  return {
    api_type: settings.fallback_api_type ?? "auto",
    model,
    ...(base_url === undefined || base_url === "" ? {} : { base_url }),
    ...(api_key === undefined ? {} : { api_key }),
  };
}

/** Proxy variables, lower case first as curl does. */
export function proxySettings(env: EnvReader): ProxySettings {
  const read = (name: string) => env.get(name.toLowerCase()) || env.get(name) || undefined;
  const http = read("HTTP_PROXY") ?? read("ALL_PROXY");
  const https = read("HTTPS_PROXY") ?? read("ALL_PROXY");
  const no_proxy = read("NO_PROXY");
  return {
    ...(http === undefined ? {} : { http }),
    ...(https === undefined ? {} : { https }),
    ...(no_proxy === undefined ? {} : { no_proxy }),
  };
}

function isLoopback(url: string | undefined): boolean {
  const host = url === undefined ? undefined : URL.parse(url)?.hostname;
  return host !== undefined && (host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host));
}
