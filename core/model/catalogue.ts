import { LuminaError } from "../base/mod.ts";
import { isJsonObject, type Json, type JsonObject, type MediaSupport, type Usage } from "../types/mod.ts";
import type { Endpoint } from "./endpoint.ts";
import type { PriceList } from "./price_list.ts";

/** US dollars for a million tokens. */
export interface ModelPrices {
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
}

/** Peculiarities of a model that change what is sent. */
export interface ModelTraits {
  /** Takes `thinking: {type: "adaptive"}` beside an effort (Anthropic wire). */
  adaptive_thinking: boolean;
  /** Wants the reasoning of messages with tool calls back (OpenAI wire). */
  replay_reasoning: boolean;
  /** What `max` is called for it (OpenAI wire). */
  max_effort: "high" | "xhigh" | "max";
  /** The media that it takes. */
  accepts: MediaSupport;
}

export interface CatalogueEntry extends ModelTraits {
  /** The pattern that matched; undefined for an unknown model. */
  pattern?: string;
  window: number;
  max_output: number;
  /** It was trained to change files by patches. */
  prefers_patch: boolean;
  /** Absent when nobody knows. */
  prices?: ModelPrices;
}

/** Tokens of context and of output of a model that nobody knows. */
export const DEFAULT_WINDOW = 128_000;
export const DEFAULT_MAX_OUTPUT = 8_000;

const UNKNOWN: CatalogueEntry = {
  window: DEFAULT_WINDOW,
  max_output: DEFAULT_MAX_OUTPUT,
  adaptive_thinking: false,
  replay_reasoning: false,
  max_effort: "high",
  accepts: { images: false, pdf: false },
  prefers_patch: false,
};

/** Windows, limits and prices of public models, from `resources/models.json`. Settings win over it. */
export class Catalogue {
  private constructor(
    private readonly entries: readonly (CatalogueEntry & { pattern: string })[],
    private readonly own: readonly { pattern: string; prices: ModelPrices }[],
  ) {}

  /**
   * Reads the file at once; `own` are prices that stand before those of the file, by the same patterns. Throws
   * `model.catalogue` when the file cannot be read or has the wrong form.
   */
  static load(file: string | URL, own: PriceList = {}): Catalogue {
    let models: Json | undefined;
    try {
      const root: unknown = JSON.parse(Deno.readTextFileSync(file));
      if (isJsonObject(root)) models = root["models"];
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new LuminaError("model.catalogue", `Cannot read the model catalogue ${file}: ${why}`, { cause });
    }
    if (!isJsonObject(models)) {
      throw new LuminaError("model.catalogue", `The model catalogue ${file} has no "models" object`);
    }
    const entries = Object.entries(models).map(([pattern, value]) => readEntry(pattern, value, file));
    // the most specific pattern wins, wherever it stands
    return new Catalogue(
      entries.sort(byPattern),
      Object.entries(own).flatMap(([pattern, list]) => {
        const prices = readPrices(list);
        return prices === undefined ? [] : [{ pattern: pattern.toLowerCase().replaceAll(".", "-"), prices }];
      }).sort(byPattern),
    );
  }

  /**
   * What is known of `model`. Providers' prefixes (`vendor/`, `region.vendor.`) and suffixes in brackets are looked
   * through; a suffix such as `[1m]` or `[200k]` is the window. An unknown model has a window of 128 000 and 8 000
   * tokens of output.
   */
  find(model: string): CatalogueEntry {
    const lower = model.toLowerCase();
    const bracket = /\[(\d+)([km])\]$/.exec(lower);
    const [bare = "", inner = ""] = bareName(model);
    const found = this.#match(bare) ?? this.#match(inner);
    const entry = found ?? UNKNOWN;
    if (!bracket) return entry;
    const window = Number(bracket[1]) * (bracket[2] === "m" ? 1_000_000 : 1_000);
    return window > 0 ? { ...entry, window } : entry;
  }

  #match(name: string): CatalogueEntry | undefined {
    const dashed = name.replaceAll(".", "-");
    return this.entries.find((entry) => matches(entry.pattern, dashed));
  }

  /** What a model costs; undefined when nobody knows. */
  pricesOf(model: string): ModelPrices | undefined {
    const dashed = bareName(model).map((name) => name.replaceAll(".", "-"));
    const own = dashed.flatMap((name) => this.own.find(({ pattern }) => matches(pattern, name)) ?? [])[0];
    return own?.prices ?? this.find(model).prices;
  }

  /** US dollars of `usage`; null for a model without a known price. */
  costOf(model: string, usage: Usage): number | null {
    const prices = this.pricesOf(model);
    if (!prices) return null;
    const million = usage.input * prices.input + usage.output * prices.output +
      usage.cache_read * prices.cache_read + usage.cache_write * prices.cache_write;
    return million / 1_000_000;
  }
}

const byPattern = (a: { pattern: string }, b: { pattern: string }) => b.pattern.length - a.pattern.length;

/** A model's name without a suffix in brackets and a provider's prefix, and the same without a region. */
function bareName(model: string): string[] {
  const name = model.toLowerCase().replace(/\[[^\]]*\]$/, "");
  const bare = name.slice(name.lastIndexOf("/") + 1);
  return [bare, bare.replace(/^(?:[a-z-]+\.)+/, "")];
}

/** `[input, output, cache read, cache write]`; what is missing of the cache costs as much as input. */
function readPrices(list: Json | readonly number[] | undefined): ModelPrices | undefined {
  const [input, output, read, write] = Array.isArray(list) ? list : [];
  if (typeof input !== "number" || typeof output !== "number") return undefined;
  return {
    input,
    output,
    cache_read: typeof read === "number" ? read : input,
    cache_write: typeof write === "number" ? write : input,
  };
}

/** Window and output limit of an endpoint: its own settings, else the catalogue; `local` only lowers the window. */
export function limitsOf(
  endpoint: Endpoint,
  entry: CatalogueEntry,
  local?: number,
): { window: number; max_output: number } {
  const known = endpoint.context_window ?? entry.window;
  const window = local === undefined ? known : Math.min(known, local);
  return { window, max_output: Math.min(endpoint.max_output_tokens ?? entry.max_output, window) };
}

/** What an endpoint's model can: its own settings, else the catalogue. */
export function abilitiesOf(
  endpoint: Endpoint,
  entry: CatalogueEntry,
): { accepts: MediaSupport; prefers_patch: boolean } {
  return { accepts: { ...entry.accepts, ...endpoint.accepts }, prefers_patch: entry.prefers_patch };
}

/** `*` at the end stands for anything; without it a dated or tagged snapshot of the name (`-20250929`, `@…`, `:…`) also fits. */
function matches(pattern: string, name: string): boolean {
  if (pattern.endsWith("*")) return name.startsWith(pattern.slice(0, -1));
  if (!name.startsWith(pattern)) return false;
  return /^(?:$|[@:]|-\d{4,8}\b|-\d{4}-\d\d-\d\d|-latest$|-preview)/.test(name.slice(pattern.length));
}

function readEntry(pattern: string, value: Json, file: string | URL): CatalogueEntry & { pattern: string } {
  const source: JsonObject = isJsonObject(value) ? value : {};
  const { window, max_output: output } = source;
  if (typeof window !== "number" || typeof output !== "number") {
    throw new LuminaError("model.catalogue", `${file}: "${pattern}" needs the numbers window and max_output`);
  }
  const prices = readPrices(source["prices"]);
  const effort = source["max_effort"];
  return {
    pattern: pattern.toLowerCase().replaceAll(".", "-"),
    window,
    max_output: output,
    adaptive_thinking: source["adaptive_thinking"] === true,
    replay_reasoning: source["replay_reasoning"] === true,
    max_effort: effort === "xhigh" || effort === "max" ? effort : "high",
    accepts: { images: source["images"] === true, pdf: source["pdf"] === true },
    prefers_patch: source["prefers_patch"] === true,
    ...(prices === undefined ? {} : { prices }),
  };
}
