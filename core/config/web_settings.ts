import * as z from "zod";
import { key } from "./setting_definition.ts";
import { baseUrl, keyText, wholeFrom } from "./setting_schemas.ts";

const seconds = () => z.number().min(0.1).max(300);
const field = () => z.string().trim().min(1);

/** Hosts with or without a port: no scheme, no path, no user. */
const hostList = () => z.array(z.string().trim().regex(/^[^\s/\\?#@*]+$/));

/** A search engine of the person's own: a program, or an address whose answer is JSON. */
export interface CustomSearch {
  readonly command?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly results: string;
  readonly title: string;
  readonly link: string;
  readonly snippet: string;
}

const customSearch = (): z.ZodType<CustomSearch> =>
  z.strictObject({
    command: field().optional(),
    url: field().refine((url) => url.includes("{query}")).optional(),
    headers: z.record(z.string(), z.string()).default({}),
    results: z.string().default("results"),
    title: field().default("title"),
    link: field().default("url"),
    snippet: field().default("snippet"),
  }).refine(({ command, url }) => (command === undefined) !== (url === undefined));

export const WEB_SETTINGS = {
  web_search_enabled: key({
    schema: () => z.boolean(),
    default: true,
    kind: "boolean",
    must: "true or false",
    description: "Offer WebSearch.",
    project: "no",
  }),
  web_search_provider: key({
    schema: () => z.enum(["auto", "searxng", "duckduckgo", "custom"]),
    default: "auto",
    kind: "text",
    must: "auto, searxng, duckduckgo or custom",
    description:
      "Who answers WebSearch. `auto`: `web_search_custom` where it is set, else SearXNG where `web_search_base_url` names one or `lumina services searxng start` runs one, else DuckDuckGo.",
    project: "no",
  }),
  web_search_base_url: key({
    schema: baseUrl,
    default: undefined,
    kind: "text",
    must: "an http or https URL",
    description:
      "Address of the search engine: a SearXNG that gives JSON, or with provider `duckduckgo` another address of its HTML page.",
    project: "no",
  }),
  web_search_custom: key({
    schema: customSearch,
    default: undefined,
    kind: "object",
    must: "an object with command, or url (with {query}) and any of headers, results, title, link, snippet",
    description:
      "A search engine of your own. `command`: gets the query as JSON on standard input, prints a list of {title, url, snippet}. Or `url` with `{query}` and `{count}`, `headers`, and where in the JSON answer the list lies (`results`, such as `web.results`) and what its fields are called (`title`, `link`, `snippet`).",
    project: "no",
    secret: true,
  }),
  web_search_max_results: key({
    schema: () => wholeFrom(1, 50),
    default: 10,
    kind: "number",
    must: "a whole number from 1 to 50",
    description: "Most results of one search.",
    project: "replace",
  }),
  web_search_timeout_seconds: key({
    schema: seconds,
    default: 20,
    kind: "number",
    must: "seconds from 0.1 to 300",
    description: "Limit of one search.",
    project: "replace",
  }),
  web_fetch_enabled: key({
    schema: () => z.boolean(),
    default: true,
    kind: "boolean",
    must: "true or false",
    description: "Offer WebFetch.",
    project: "no",
  }),
  web_fetch_require_search_result: key({
    schema: () => z.boolean(),
    default: true,
    kind: "boolean",
    must: "true or false",
    description:
      "WebFetch opens only addresses that a search of the session has found, that the user typed, that a person allowed when asked, or whose host an allow rule names; any other is searched for first.",
    project: "no",
  }),
  web_fetch_max_chars: key({
    schema: () => wholeFrom(500, 1_000_000),
    default: 80_000,
    kind: "number",
    must: "a whole number from 500 to 1,000,000",
    description: "Characters of one page that WebFetch gives.",
    project: "replace",
  }),
  web_fetch_max_bytes: key({
    schema: () => wholeFrom(1_000, 100_000_000),
    default: 5_242_880,
    kind: "number",
    must: "a whole number of bytes from 1,000 to 100,000,000",
    description: "A longer answer is refused; it is counted after decompression too.",
    project: "no",
  }),
  web_fetch_timeout_seconds: key({
    schema: seconds,
    default: 20,
    kind: "number",
    must: "seconds from 0.1 to 300",
    description: "Limit of one fetch, with all its redirects.",
    project: "replace",
  }),
  web_fetch_user_agent: key({
    schema: keyText,
    default: "LuminaCode/1.0",
    kind: "text",
    must: "text of printable ASCII",
    description: "How WebFetch and WebSearch call themselves.",
    project: "no",
  }),
  web_allow_private_hosts: key({
    schema: hostList,
    default: [],
    kind: "list",
    must: "a list of hosts, such as localhost:3000 or wiki.corp.example",
    description:
      "Hosts with loopback or private addresses that WebFetch may open. Elsewhere it reaches public addresses, and a private one only when the user typed the very URL. A rule alone does not open them, and link-local addresses and metadata services stay closed.",
    project: "no",
  }),
};
