import { LuminaError } from "../../../base/mod.ts";
import { isJsonObject } from "../../../types/mod.ts";
import type { Json, JsonObject } from "../../../types/mod.ts";
import { askEngine } from "./ask_engine.ts";
import { words } from "./search_port.ts";
import type { SearchAnswer, SearchHit, SearchParts, SearchQuery } from "./search_port.ts";

/** SearXNG's JSON (https://docs.searxng.org/dev/search_api.html) at `base`. */
export async function searxng(base: string, query: SearchQuery, parts: SearchParts): Promise<SearchAnswer> {
  const url = new URL("search", base.endsWith("/") ? base : `${base}/`);
  const params: [string, string | undefined][] = [
    ["q", words(query)],
    ["format", "json"],
    ["language", query.language],
    ["time_range", query.time_range],
    ["categories", query.categories],
  ];
  for (const [name, value] of params) if (value !== undefined) url.searchParams.set(name, value);
  const { status, text } = await askEngine(url, parts, { accept: "application/json" });
  if (status !== 200) {
    const hint = status === 403 ? ": add json to search.formats in its settings.yml" : "";
    throw new LuminaError("web.search", `SearXNG at ${base} answered with status ${status}${hint}`);
  }
  const answer = jsonObject(text);
  if (answer === undefined || !Array.isArray(answer["results"])) {
    throw new LuminaError(
      "web.search",
      `what answers at ${base} is no SearXNG that gives JSON: check web_search_base_url`,
    );
  }
  const results = answer["results"].filter((each) => isJsonObject(each)).flatMap(hit)
    .slice(0, query.num_results).map((each, index): SearchHit => ({ ...each, rank: index + 1 }));
  return {
    provider: "searxng",
    base_url: base,
    query: query.query,
    results,
    answers: texts(answer["answers"]),
    suggestions: texts(answer["suggestions"]),
  };
}

function hit(given: JsonObject): Omit<SearchHit, "rank">[] {
  const url = text(given["url"]);
  if (!/^https?:/i.test(url)) return [];
  const optional = {
    engine: text(given["engine"]),
    category: text(given["category"]),
    published_at: text(given["publishedDate"]),
  };
  return [{
    title: text(given["title"]),
    url,
    snippet: text(given["content"]),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== "")),
  }];
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value.replace(/\s+/g, " ").trim().slice(0, 2_000) : "";
}

/** Answers are texts in older versions and objects with `answer` in newer ones. */
function texts(value: Json | undefined): string[] {
  if (!Array.isArray(value)) return [];
  return value.map((each) => text(isJsonObject(each) ? each["answer"] : each)).filter((each) => each !== "");
}

/** A text as a JSON object; undefined when it is none. */
export function jsonObject(given: string): JsonObject | undefined {
  try {
    const value: Json = JSON.parse(given);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
