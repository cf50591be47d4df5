import type { World } from "../base/mod.ts";
import type { PriceList } from "./price_list.ts";
import type { MediaSupport } from "../types/mod.ts";
import type { Recording } from "./replay_recording.ts";

/** Where a model is and how it is spoken to. */
export interface Endpoint {
  api_type: "auto" | "anthropic" | "openai_compatible" | "replay";
  /** Used as given, see `anthropicBase` and `openaiBase`; absent = the provider's official endpoint. */
  base_url?: string;
  /** Absent for servers without keys. */
  api_key?: string;
  /** Any non-empty string, sent unchanged. */
  model: string;
  /** Tokens; absent = the catalogue's value. */
  context_window?: number;
  /** Tokens; absent = the catalogue's value. On the OpenAI wire it is sent only when set here. */
  max_output_tokens?: number;
  /** Media that it takes or does not, whatever the catalogue says. */
  accepts?: Partial<MediaSupport>;
  /** File of recorded answers, for `api_type: "replay"`. */
  replay_file?: string;
  /** The recorded answers themselves, with a name for errors; stronger than the file. */
  recording?: { name: string; recording: Recording };
}

/** Proxy addresses as the usual environment variables hold them. */
export interface ProxySettings {
  http?: string;
  https?: string;
  no_proxy?: string;
}

export interface ModelOptions {
  primary: Endpoint;
  /** Serves when the primary's retries are exhausted and nothing was visible yet. */
  fallback?: Endpoint;
  /** Tokens; only lowers the window. */
  local_window?: number;
  /** Longest silence, before the headers and between data, milliseconds (default 300 000). */
  idle_timeout_ms?: number;
  /** Attempts per endpoint (default 4). */
  max_attempts?: number;
  /** PEM file with further root certificates. */
  ca_file?: string;
  /** Further PEM files, from NODE_EXTRA_CA_CERTS and SSL_CERT_FILE. */
  extra_ca_files?: readonly string[];
  proxy?: ProxySettings;
  world: World;
  /** The catalogue, `resources/models.json`. */
  models_file: string | URL;
  /** Prices that stand before the catalogue's. */
  prices?: PriceList;
}

export type Wire = "anthropic" | "openai_compatible";

/**
 * The wire of an endpoint. `auto`: a base URL whose path ends in `/anthropic` (or is on anthropic.com) first, then a
 * name that begins with `claude`, else OpenAI-compatible.
 */
export function resolveApiType(endpoint: Pick<Endpoint, "api_type" | "base_url" | "model">): Wire {
  if (endpoint.api_type === "anthropic" || endpoint.api_type === "openai_compatible") {
    return endpoint.api_type;
  }
  if (endpoint.base_url) {
    const url = URL.parse(endpoint.base_url);
    const path = (url?.pathname ?? endpoint.base_url).replace(/\/+$/, "").replace(/\/v1$/, "");
    if (path.endsWith("/anthropic")) return "anthropic";
    if (url && (url.hostname === "anthropic.com" || url.hostname.endsWith(".anthropic.com"))) {
      return "anthropic";
    }
  }
  return /^claude/i.test(endpoint.model) ? "anthropic" : "openai_compatible";
}

/** The base to which `/v1/messages` is appended: a trailing `/v1` in the given base is not doubled. */
export function anthropicBase(endpoint: Pick<Endpoint, "base_url">): string {
  const base = (endpoint.base_url ?? "https://api.anthropic.com").replace(/\/+$/, "");
  return base.replace(/\/v1$/, "");
}

/** The base to which `/chat/completions` is appended, as given but for a trailing slash. */
export function openaiBase(endpoint: Pick<Endpoint, "base_url">): string {
  return (endpoint.base_url ?? "https://api.openai.com/v1").replace(/\/+$/, "");
}

/** A base URL without user name and password, for messages. */
export function shownUrl(base: string): string {
  const url = URL.parse(base);
  if (!url) return base;
  url.username = "";
  url.password = "";
  url.search = "";
  return url.href.replace(/\/$/, "");
}
