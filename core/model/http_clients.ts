import { errorMessage } from "../base/mod.ts";
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
 * Deno's HTTP clients for the routes in use, each made once. The settings alone decide the route: Deno's own reading of
 * the proxy variables is kept out.
 */
export class HttpClients {
  readonly #clients = new Map<string, Deno.HttpClient>();
  #certificates: Promise<string[]> | undefined;
  #closed = false;

  constructor(private readonly settings: HttpClientSettings) {}

  /** The client for `url`. Throws `invalid_request` for an unreadable CA file or a proxy that is no address. */
  async clientFor(url: URL): Promise<Deno.HttpClient> {
    const route = routeFor(url, this.settings.proxy);
    const key = route.kind === "proxy" ? route.url : "";
    const known = this.#clients.get(key);
    if (known) return known;
    this.#certificates ??= this.#readCertificates();
    const caCerts = await this.#certificates;
    if (this.#closed) throw new ModelError("The model has been closed", { category: "aborted" });
    const made = this.#clients.get(key);
    if (made) return made;
    const options = { caCerts, ...(route.kind === "proxy" ? { proxy: proxyOf(route.url) } : {}) };
    const client = withoutProxyVariables(() => Deno.createHttpClient(options));
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
        throw new ModelError(
          `Cannot read the CA file ${file}: ${
            errorMessage(cause)
          }; fix ca_file or the variable that names it`,
          { category: "invalid_request", cause },
        );
      }
    }));
  }
}

/** The variables that name proxies, in both spellings. */
export const PROXY_VARIABLES: readonly string[] = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"]
  .flatMap((
    name,
  ) => [name, name.toLowerCase()]);

/**
 * Runs `make` while the proxy variables are unset. Deno reads them when a client is made and has no option against it;
 * `make` is synchronous, so nothing else in this thread sees them missing.
 */
function withoutProxyVariables<T>(make: () => T): T {
  const saved = PROXY_VARIABLES.map((name) => [name, Deno.env.get(name)] as const).filter(([, value]) =>
    value !== undefined
  );
  for (const [name] of saved) Deno.env.delete(name);
  try {
    return make();
  } finally {
    for (const [name, value] of saved) Deno.env.set(name, value ?? "");
  }
}

function proxyOf(given: string): Deno.Proxy {
  const address = URL.parse(given);
  if (!address) {
    throw new ModelError("The proxy address is not a URL; check the proxy setting", {
      category: "invalid_request",
    });
  }
  const { username, password } = address;
  address.username = "";
  address.password = "";
  const basicAuth = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  return { url: address.href.replace(/\/$/, ""), ...(username === "" ? {} : { basicAuth }) };
}
