import type { ProxySettings } from "./endpoint.ts";
import { ModelError } from "./model_error.ts";

/** Where the connection for a URL goes. */
export type Route = { kind: "direct" } | { kind: "proxy"; url: string };

/**
 * The route of a URL by the usual rules: `https` or `http` proxy by the URL's scheme (a bare `host:port` is an
 * HTTP proxy). `no_proxy` is a list separated by commas or spaces: `*`, `host`, `.suffix` or `*.suffix`, each with an
 * optional `:port`; a name also covers its subdomains. Loopback is direct always: a proxy cannot reach it.
 */
export function routeFor(url: URL, proxy: ProxySettings): Route {
  const address = (url.protocol === "https:" ? proxy.https : proxy.http)?.trim();
  if (!address) return { kind: "direct" };
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127\./.test(host)) {
    return { kind: "direct" };
  }
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  for (const raw of (proxy.no_proxy ?? "").split(/[\s,]+/)) {
    if (raw === "*") return { kind: "direct" };
    const parts = /^(?:\[([^\]]+)\]|([^:]+|[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:.]*))(?::(\d+))?$/i.exec(raw);
    const name = (parts?.[1] ?? parts?.[2])?.toLowerCase().replace(/^\*?\./, "").replace(/\.$/, "");
    if (!name || (parts?.[3] !== undefined && parts[3] !== port)) continue;
    if (host === name || host.endsWith(`.${name}`)) return { kind: "direct" };
  }
  return { kind: "proxy", url: /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}` };
}

export interface HttpClientSettings {
  proxy: ProxySettings;
  /** PEM files, all of which must be readable. */
  ca_files: readonly string[];
}

/**
 * Deno's HTTP clients for the routes in use, each made once. A direct route gets a client bound to its host, because
 * Deno's plain clients follow the process's proxy variables whatever the settings say.
 */
export class HttpClients {
  readonly #clients = new Map<string, Deno.HttpClient>();
  #certificates: Promise<string[]> | undefined;
  #closed = false;

  constructor(private readonly settings: HttpClientSettings) {}

  /** The client for `url`; undefined when Deno's own is right. Throws `invalid_request` for an unreadable CA file. */
  async clientFor(url: URL): Promise<Deno.HttpClient | undefined> {
    const { proxy, ca_files } = this.settings;
    const route = routeFor(url, proxy);
    if (route.kind === "direct" && !proxy.http && !proxy.https && ca_files.length === 0) return undefined;
    const key = route.kind === "proxy" ? route.url : url.host;
    const known = this.#clients.get(key);
    if (known) return known;
    this.#certificates ??= this.#readCertificates();
    const caCerts = await this.#certificates;
    const made = this.#clients.get(key);
    if (made) return made;
    if (this.#closed) throw new ModelError("The model has been closed", { category: "aborted" });
    const client = Deno.createHttpClient({ caCerts, proxy: transport(route, url) });
    this.#clients.set(key, client);
    return client;
  }

  /** Closes every client; requests still running end. */
  close(): void {
    this.#closed = true;
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }

  #readCertificates(): Promise<string[]> {
    return Promise.all(this.settings.ca_files.map(async (file) => {
      try {
        return await Deno.readTextFile(file);
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new ModelError(
          `Cannot read the CA file ${file}: ${why}; fix ca_file or the variable that names it`,
          {
            category: "invalid_request",
            cause,
          },
        );
      }
    }));
  }
}

function transport(route: Route, url: URL): Deno.Proxy {
  if (route.kind === "direct") {
    const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
    return { transport: "tcp", hostname: url.hostname.replace(/^\[|\]$/g, ""), port };
  }
  const address = URL.parse(route.url);
  if (!address) {
    throw new ModelError("The proxy address is not a URL; check the proxy setting", {
      category: "invalid_request",
    });
  }
  const { username, password } = address;
  address.username = "";
  address.password = "";
  const bare = address.href.replace(/\/$/, "");
  const basicAuth = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  return { url: bare, ...(username === "" ? {} : { basicAuth }) };
}
