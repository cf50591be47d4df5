import { errorMessage, LuminaError } from "../../../base/mod.ts";
import { custom } from "./custom.ts";
import { duckduckgo } from "./duckduckgo.ts";
import type { SearchAnswer, SearchParts, SearchQuery } from "./search_port.ts";
import { searxng } from "./searxng.ts";

/** Where SearXNG listens when nobody says otherwise. */
const USUAL_SEARXNG = "http://127.0.0.1:8888";

/** A search's answer, and what went wrong on the way to it. */
export interface Searched extends SearchAnswer {
  note?: string;
}

/**
 * Asks the engine that `web_search_provider` names. With `auto` a SearXNG that does not answer is followed by DuckDuckGo, and
 * the answer says so. Throws `web.search` with what to set, and the signal's reason.
 */
export async function searchWeb(query: SearchQuery, parts: SearchParts): Promise<Searched> {
  const { web_search_provider: provider, web_search_base_url, web_search_custom } = parts.settings;
  const base = web_search_base_url === "" ? undefined : web_search_base_url;
  switch (provider) {
    case "custom":
      if (web_search_custom === undefined) {
        throw new LuminaError("web.search", "web_search_provider is custom: set web_search_custom too");
      }
      return await told(parts, custom(web_search_custom, query, parts));
    case "searxng":
      return await told(parts, searxng(base ?? await parts.managed() ?? USUAL_SEARXNG, query, parts));
    case "duckduckgo":
      return await told(parts, duckduckgo(base, query, parts));
    default:
  }
  if (web_search_custom !== undefined) return await told(parts, custom(web_search_custom, query, parts));
  const own = base ?? await parts.managed();
  if (own === undefined) return await told(parts, duckduckgo(undefined, query, parts));
  try {
    return await searxng(own, query, parts);
  } catch (error) {
    parts.signal.throwIfAborted();
    const note = `SearXNG at ${own} did not answer (${errorMessage(error)})`;
    return { ...await told(parts, duckduckgo(undefined, query, parts), note), note };
  }
}

/** A failure with what can be set. */
async function told(
  { signal }: SearchParts,
  searching: Promise<SearchAnswer>,
  before?: string,
): Promise<SearchAnswer> {
  try {
    return await searching;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof LuminaError && error.code === "web.search" && before === undefined) throw error;
    throw new LuminaError(
      "web.search",
      `${before === undefined ? "" : `${before}; then: `}${
        errorMessage(error)
      } (web_search_provider, web_search_base_url and lumina services searxng start choose another engine)`,
      { cause: error },
    );
  }
}
