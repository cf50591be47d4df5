import { errorMessage } from "../../base/mod.ts";
import { hostOfUrl, matchesHost, readHostPattern } from "../../permission/mod.ts";
import type { Verdict } from "../../types/mod.ts";
import { requireHost } from "./capability_scope.ts";
import { AS_FETCH, judged, recordAllowed } from "./judged.ts";
import { serviceFailure } from "./service_failure.ts";
import type { ServiceParams } from "./service_params.ts";
import type { HttpAnswer, ServiceCall, ServicePorts } from "./service_port.ts";

const MOST_HOPS = 5;
/** The whole request, with all its hops and answers. */
const LIMIT_MS = 30_000;

/** Headers that belong to the connection or to the host and are never a pack's to set (RFC 9110, 7.6.1). */
const OWN_HEADERS = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** All that another origin gets to see of what the pack sent: a key may stand in any other header. */
const KEPT_ELSEWHERE = new Set(["accept", "accept-language", "user-agent", "content-type"]);

/**
 * A GET or POST through the host. Each hop is judged by the session's rules as `WebFetch` of its URL, and goes to a public
 * address that was looked up once; loopback and private addresses only where an allow rule names the very host. At another
 * origin the pack's own headers are left out.
 */
export async function fetchUrl(
  request: ServiceParams<"net.fetch">,
  call: ServiceCall,
  ports: ServicePorts,
): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  let method = request.method ?? "GET";
  let body = request.body;
  if (method === "GET" && body !== undefined) throw serviceFailure("invalid", "net.fetch: a GET has no body");
  const headers = ownHeaders(request.headers ?? {});
  const signal = AbortSignal.any([call.signal, AbortSignal.timeout(LIMIT_MS)]);
  let url = webUrl(request.url);
  for (let hop = 0; hop <= MOST_HOPS; hop++) {
    requireHost(call.pack, url);
    const decision = await judged(AS_FETCH, { url: url.href, method }, call, ports);
    await recordAllowed(AS_FETCH, decision, call, ports);
    const answer = await send(ports, {
      url,
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      private_allowed: namesHost(decision.verdict, url),
      signal,
    });
    const location = answer.headers.get("location");
    if (![301, 302, 303, 307, 308].includes(answer.status) || location === null) return shown(answer);
    const next = webUrl(location, url);
    if (next.origin !== url.origin) {
      for (const name of [...headers.keys()]) if (!KEPT_ELSEWHERE.has(name)) headers.delete(name);
    }
    if (answer.status === 303 || (answer.status < 303 && method === "POST")) {
      method = "GET";
      body = undefined;
      headers.delete("content-type");
    }
    url = next;
  }
  throw serviceFailure("failed", `${request.url} redirects more than ${MOST_HOPS} times`);
}

async function send(ports: ServicePorts, request: Parameters<ServicePorts["http"]>[0]): Promise<HttpAnswer> {
  try {
    return await ports.http(request);
  } catch (error) {
    if (error instanceof Error && error.name === "ServiceError") throw error;
    const why = request.signal.aborted && error instanceof DOMException && error.name === "TimeoutError"
      ? `no answer within ${LIMIT_MS / 1000} s`
      : errorMessage(error);
    throw serviceFailure("failed", `Cannot fetch ${request.url.origin}: ${why}`);
  }
}

/** An http or https URL without user and password; throws `invalid`. */
function webUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    const scheme = url === null ? "is no URL" : `has the scheme ${url.protocol}`;
    throw serviceFailure("invalid", `net.fetch takes http and https addresses; this one ${scheme}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw serviceFailure("invalid", "net.fetch takes no user or password in an address; send a header");
  }
  url.hash = "";
  return url;
}

function ownHeaders(given: Record<string, string>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    if (OWN_HEADERS.has(name.toLowerCase())) {
      throw serviceFailure("invalid", `net.fetch: the header ${name} is the host's`);
    }
    try {
      headers.append(name, value);
    } catch (error) {
      throw serviceFailure("invalid", `net.fetch: a header is not valid: ${errorMessage(error)}`);
    }
  }
  return headers;
}

/** True when an allow rule names exactly this host: `WebFetch(domain:localhost)`, and not a pattern or the bare tool. */
function namesHost({ behavior, source, rule }: Verdict, url: URL): boolean {
  if (behavior !== "allow" || source !== "rule") return false;
  const named = /^\w+\(domain:\s*([^)*]+?)\s*\)/.exec(rule ?? "")?.[1];
  const pattern = named === undefined ? undefined : readHostPattern(named);
  const host = hostOfUrl(url.href);
  return pattern?.host !== undefined && host !== undefined && matchesHost(pattern, host);
}

function shown({ status, headers, body }: HttpAnswer): {
  status: number;
  headers: Record<string, string>;
  body: string;
} {
  return { status, headers: Object.fromEntries(headers), body };
}
