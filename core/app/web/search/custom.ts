import { LuminaError } from "../../../base/mod.ts";
import type { Settings } from "../../../config/mod.ts";
import { isJsonObject } from "../../../types/mod.ts";
import type { Json } from "../../../types/mod.ts";
import { askEngine } from "./ask_engine.ts";
import { words } from "./search_port.ts";
import type { SearchAnswer, SearchHit, SearchParts, SearchQuery } from "./search_port.ts";

/** A person's own engine: a program that prints JSON, or an address that answers with it. */
export async function custom(
  engine: NonNullable<Settings["web_search_custom"]>,
  query: SearchQuery,
  parts: SearchParts,
): Promise<SearchAnswer> {
  const { command, url: template = "" } = engine;
  const json = command === undefined ? await ask(template, engine.headers, query, parts) : parse(
    await parts.runCommand(command, JSON.stringify(query), parts.signal),
    "web_search_custom.command",
  );
  const list = Array.isArray(json) ? json : at(json, engine.results);
  if (!Array.isArray(list)) {
    throw new LuminaError(
      "web.search",
      `the answer of web_search_custom has no list at "${engine.results}": set web_search_custom.results`,
    );
  }
  const results = list.flatMap((each): Omit<SearchHit, "rank">[] => {
    const url = text(at(each, engine.link));
    if (!/^https?:/i.test(url)) return [];
    return [{ title: text(at(each, engine.title)), url, snippet: text(at(each, engine.snippet)) }];
  }).slice(0, query.num_results).map((each, index): SearchHit => ({ ...each, rank: index + 1 }));
  return {
    provider: "custom",
    base_url: command === undefined ? new URL(template).origin : "",
    query: query.query,
    results,
    answers: [],
    suggestions: [],
  };
}

async function ask(
  template: string,
  headers: Readonly<Record<string, string>>,
  query: SearchQuery,
  parts: SearchParts,
): Promise<Json> {
  const filled = template
    .replaceAll("{query}", encodeURIComponent(words(query)))
    .replaceAll("{count}", String(query.num_results))
    .replaceAll("{language}", encodeURIComponent(query.language ?? ""));
  const url = URL.parse(filled);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new LuminaError("web.search", "web_search_custom.url is no http or https address");
  }
  const { status, text } = await askEngine(url, parts, { accept: "application/json", headers });
  if (status !== 200) throw new LuminaError("web.search", `${url.origin} answered with status ${status}`);
  return parse(text, url.origin);
}

function parse(given: string, from: string): Json {
  try {
    return JSON.parse(given);
  } catch {
    throw new LuminaError("web.search", `what ${from} answered is no JSON`);
  }
}

/** A value inside of a value, by names with dots between them; an empty path is the value itself. */
function at(value: Json, path: string): Json | undefined {
  let found: Json | undefined = value;
  for (const name of path.split(".").filter((part) => part !== "")) {
    found = isJsonObject(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  }
  return found;
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value.replace(/\s+/g, " ").trim().slice(0, 2_000) : "";
}
