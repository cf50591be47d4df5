import { LuminaError } from "../../../base/mod.ts";
import { askEngine } from "./ask_engine.ts";
import { words } from "./search_port.ts";
import type { SearchAnswer, SearchParts, SearchQuery } from "./search_port.ts";

const ADDRESS = "https://html.duckduckgo.com/html/";
const RANGES = { day: "d", week: "w", month: "m", year: "y" } as const;
/** The region of a language where the two have not the same letters. */
const REGIONS: Readonly<Record<string, string>> = {
  en: "us-en",
  zh: "cn-zh",
  ja: "jp-jp",
  ko: "kr-kr",
  cs: "cz-cs",
  da: "dk-da",
  el: "gr-el",
  sv: "se-sv",
  uk: "ua-uk",
};

/** DuckDuckGo's page without scripts, which needs no key. */
export async function duckduckgo(
  base: string | undefined,
  query: SearchQuery,
  parts: SearchParts,
): Promise<SearchAnswer> {
  const base_url = base ?? ADDRESS;
  const url = new URL(base_url);
  url.searchParams.set("q", words(query));
  if (query.language !== undefined) url.searchParams.set("kl", region(query.language));
  if (query.time_range !== undefined) url.searchParams.set("df", RANGES[query.time_range]);
  const { status, text } = await askEngine(url, parts, {
    accept: "text/html",
    own: base !== undefined,
    headers: { "user-agent": `Mozilla/5.0 (compatible; ${parts.settings.web_fetch_user_agent || "Lumina"})` },
  });
  const { entries, refused } = await parts.reader.results(text, parts.signal);
  // a robot's request is answered with 202 and a page that asks a person
  if (refused || (entries.length === 0 && status !== 200)) {
    throw new LuminaError(
      "web.search",
      `DuckDuckGo refused the search (status ${status}): try later, or run SearXNG (lumina services searxng start)`,
    );
  }
  return {
    provider: "duckduckgo",
    base_url,
    query: query.query,
    results: entries.slice(0, query.num_results).map((entry, index) => ({ ...entry, rank: index + 1 })),
    answers: [],
    suggestions: [],
  };
}

/** `de-CH` is `ch-de`, `de` is `de-de`. */
function region(language: string): string {
  const [name = "", country] = language.toLowerCase().split(/[-_]/);
  if (country !== undefined && /^[a-z]{2}$/.test(country)) return `${country}-${name}`;
  return REGIONS[name] ?? `${name}-${name}`;
}
