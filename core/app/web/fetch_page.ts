import { LuminaError } from "../../base/mod.ts";
import type { FetchedBytes } from "../net/guarded_fetch.ts";
import type { WebClient } from "../net/web_client.ts";

const MOST_HOPS = 10;
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const PRIVATE_HINT =
  "only its user opens it: by typing the URL, or by web_allow_private_hosts in settings.json";

/** What may become of the next hop of a redirect. */
export type HopVerdict = "follow" | "tell" | { refuse: string };

export interface PageRequest {
  url: URL;
  client: Pick<WebClient, "send">;
  headers: Readonly<Record<string, string>>;
  max_bytes: number;
  /** Of the whole fetch. */
  signal: AbortSignal;
  /** True for a URL whose host may have a private address. */
  privateAllowed(url: URL): boolean;
  /** Asked of every hop before it is reached. */
  judgeHop(from: URL, to: URL): Promise<HopVerdict>;
}

/** The answer at the end of all redirects, or where it stopped at one that must not be followed by itself. */
export type PageAnswer =
  | { kind: "answer"; url: URL; answer: FetchedBytes }
  | { kind: "redirect"; from: URL; to: URL; status: number };

/**
 * A GET that follows redirects as far as `judgeHop` lets it. Each hop is looked up once and
 * connected to at an address that was checked. Throws `fetch.*` and the signal's reason.
 */
export async function fetchPage(request: PageRequest): Promise<PageAnswer> {
  let url = request.url;
  let headers = new Headers(request.headers);
  for (let hop = 0; hop <= MOST_HOPS; hop++) {
    const answer = await request.client.send({
      url,
      method: "GET",
      headers,
      private_allowed: request.privateAllowed(url),
      private_hint: PRIVATE_HINT,
      max_bytes: request.max_bytes,
      signal: request.signal,
    });
    const location = answer.headers.get("location");
    if (!REDIRECTS.includes(answer.status) || location === null) return { kind: "answer", url, answer };
    const to = webUrl(location, url);
    const verdict = await request.judgeHop(url, to);
    if (verdict === "tell") return { kind: "redirect", from: url, to, status: answer.status };
    if (verdict !== "follow") {
      throw new LuminaError("fetch.refused", `it redirects to ${to.href}, and ${verdict.refuse}`);
    }
    if (to.origin !== url.origin) headers = withoutKeys(headers);
    url = to;
  }
  throw new LuminaError("fetch.failed", `it redirects more than ${MOST_HOPS} times`);
}

/** What another origin gets to see: a key may stand in any other header. */
function withoutKeys(headers: Headers): Headers {
  const kept = ["accept", "accept-language", "user-agent"];
  return new Headers([...headers].filter(([name]) => kept.includes(name)));
}

/** An http or https URL without user, password and fragment. Throws `fetch.refused`. */
export function webUrl(text: string, base?: URL): URL {
  const url = URL.parse(text.trim(), base);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    const why = url === null ? "is no URL" : `has the scheme ${url.protocol}`;
    throw new LuminaError("fetch.refused", `only http and https addresses are fetched, and this one ${why}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new LuminaError("fetch.refused", "an address with a user or password in it is not fetched");
  }
  url.hash = "";
  return url;
}
