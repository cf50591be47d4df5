import { parsed, plainText } from "./page_text.ts";

/** One entry of a page of search results. */
export interface FoundEntry {
  title: string;
  url: string;
  snippet: string;
}

/** What stands on a page of search results; `refused` says that the engine took the request for a robot's. */
export interface ResultPage {
  entries: FoundEntry[];
  refused: boolean;
}

/**
 * The results on a page of DuckDuckGo, its HTML or its lite form (https://html.duckduckgo.com/html/,
 * https://lite.duckduckgo.com/lite/). Advertisements are left out, and what leads through the engine's own address is
 * unwrapped.
 */
export function resultPage(html: string): ResultPage {
  const document = parsed(html);
  const entries: FoundEntry[] = [];
  const seen = new Set<string>();
  for (const link of [...document.querySelectorAll("a.result__a, a.result-link")]) {
    const box = link.closest(".result") ?? link.closest("tr");
    if (box?.classList.contains("result--ad") || box?.classList.contains("result-sponsored")) continue;
    const url = target(link.getAttribute("href") ?? "");
    if (url === undefined || seen.has(url)) continue;
    seen.add(url);
    const snippet = link.closest(".result")?.querySelector(".result__snippet") ??
      box?.nextElementSibling?.querySelector(".result-snippet");
    entries.push({ title: plainText(link), url, snippet: plainText(snippet) });
  }
  const refused = entries.length === 0 &&
    document.querySelector(".anomaly-modal__title, #challenge-form, form[action*='anomaly']") !== null;
  return { entries, refused };
}

/** Where a link of the page leads; undefined for the engine's own pages and what is no web address. */
function target(href: string): string | undefined {
  const url = URL.parse(href, "https://duckduckgo.com/");
  if (url === null) return undefined;
  const own = /(^|\.)duckduckgo\.com$/.test(url.hostname);
  const inner = own && url.pathname === "/l/" ? URL.parse(url.searchParams.get("uddg") ?? "") : url;
  if (inner === null || (own && inner === url) || !/^https?:$/.test(inner.protocol)) return undefined;
  return inner.href;
}
