import type { Settings } from "../../../config/mod.ts";
import type { WebClient } from "../../net/web_client.ts";
import type { PageReader } from "../read_page.ts";

/** What is searched for. `site` is a host. */
export interface SearchQuery {
  query: string;
  num_results: number;
  language?: string;
  time_range?: "day" | "week" | "month" | "year";
  categories?: string;
  site?: string;
}

export interface SearchHit {
  title: string;
  url: string;
  snippet: string;
  engine?: string;
  category?: string;
  published_at?: string;
  /** From 1. */
  rank: number;
}

export interface SearchAnswer {
  provider: string;
  base_url: string;
  query: string;
  results: SearchHit[];
  answers: string[];
  suggestions: string[];
}

/** What a search engine's adapter works with. */
export interface SearchParts {
  settings: Settings;
  client: Pick<WebClient, "send">;
  reader: PageReader;
  /** Address of the SearXNG that Lumina itself runs; undefined when there is none. */
  managed(): Promise<string | undefined>;
  /** Runs a person's own command with a text on its standard input; gives what it printed. */
  runCommand(command: string, input: string, signal: AbortSignal): Promise<string>;
  signal: AbortSignal;
}

/** Where a query goes. Throws `web.search`, `fetch.*` and the signal's reason. */
export type SearchEngine = (query: SearchQuery, parts: SearchParts) => Promise<SearchAnswer>;

/** The words as engines take them: a host is asked for as `site:`. */
export function words({ query, site }: SearchQuery): string {
  return site === undefined || site.trim() === "" ? query : `site:${site.trim()} ${query}`;
}
