import { anthropicBase, type Endpoint, type ModelOptions, openaiBase, resolveApiType } from "../endpoint.ts";
import { routeFor } from "../http_clients.ts";

/** The `host:port` places that a model of these options connects to: its endpoints, and the proxies on the way. */
export function modelHosts({ primary, fallback, proxy }: ModelOptions): string[] {
  const hosts = new Set<string>();
  for (const endpoint of [primary, fallback]) {
    const url = endpoint === undefined ? null : URL.parse(baseOf(endpoint));
    if (url === null) continue;
    hosts.add(hostOf(url));
    const route = routeFor(url, proxy ?? {});
    const way = route.kind === "proxy" ? URL.parse(route.url) : null;
    if (way !== null) hosts.add(hostOf(way));
  }
  return [...hosts];
}

function baseOf(endpoint: Endpoint): string {
  return resolveApiType(endpoint) === "anthropic" ? anthropicBase(endpoint) : openaiBase(endpoint);
}

const PORTS: Readonly<Record<string, string>> = {
  "http:": "80",
  "https:": "443",
  "socks5:": "1080",
  "socks5h:": "1080",
};

function hostOf(url: URL): string {
  return `${url.hostname}:${url.port || (PORTS[url.protocol] ?? "443")}`;
}
