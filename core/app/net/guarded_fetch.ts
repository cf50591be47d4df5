import process from "node:process";
import { errorMessage, LuminaError } from "../../base/mod.ts";
import { hostOfUrl } from "../../permission/mod.ts";
import type { UrlHost } from "../../permission/mod.ts";
import { addressKind } from "./address_kind.ts";
import { exchangeHttp } from "./http_exchange.ts";

/** Bytes of an answer's body. */
const MOST_BODY_BYTES = 4 * 1024 * 1024;

export interface GuardedRequest {
  url: URL;
  method: "GET" | "POST";
  headers: Headers;
  body?: string;
  /** A person named this very host: loopback and private addresses may be reached, closed ones never. */
  private_allowed: boolean;
  signal: AbortSignal;
  /** More bytes of a body, after decompression, end it with an error; 4 MiB when absent. */
  max_bytes?: number;
  /** What opens a private address, for the refusal; a rule that names the host when absent. */
  private_hint?: string;
  /** Take a compressed answer. */
  compressed?: boolean;
}

/** An answer as it came, decompressed. */
export interface FetchedBytes {
  status: number;
  headers: Headers;
  body: Uint8Array<ArrayBuffer>;
}

/** How names become addresses and addresses connections. */
export interface Network {
  /** Every address of a name. */
  resolve(host: string): Promise<string[]>;
  connect(address: string, port: number): Promise<Deno.TcpConn>;
  /** PEM certificates that are trusted besides the usual ones. */
  ca_certs: readonly string[];
}

/**
 * Every address of a name as the system finds it, the hosts file included; Deno's own `resolveDns` asks name servers alone.
 * Deno 2.6 warns about a part of itself when it begins, which is nothing that a person could change.
 */
async function systemLookup(host: string): Promise<string[]> {
  const { lookup } = await import("node:dns/promises");
  const switches = process as typeof process & { noDeprecation?: boolean | undefined };
  const before = switches.noDeprecation;
  switches.noDeprecation = true;
  const found = lookup(host, { all: true });
  switches.noDeprecation = before; // before anything else runs
  return (await found).map(({ address }) => address);
}

/** The network of this machine. */
export function systemNetwork(ca_certs: readonly string[] = []): Network {
  return {
    resolve: systemLookup,
    connect: (hostname, port) => Deno.connect({ hostname, port }),
    ca_certs,
  };
}

/**
 * One request to one address, without following a redirect. The name is looked up once, every address it has must be one
 * that may be reached, and the connection goes to such an address: a name that changes meanwhile changes nothing. TLS is
 * checked against the URL's name. No proxy is used. Throws `fetch.refused` for an address that must not be reached,
 * `fetch.failed`, `fetch.protocol`, `fetch.too_large`, and the signal's reason.
 */
export async function guardedFetch(
  request: GuardedRequest,
  network: Network,
): Promise<{ status: number; headers: Headers; body: string }> {
  const { status, headers, body } = await guardedBytes(request, network);
  return { status, headers, body: decode(body, headers) };
}

/** {@link guardedFetch} with the bytes of the body. */
export async function guardedBytes(request: GuardedRequest, network: Network): Promise<FetchedBytes> {
  const { signal } = request;
  signal.throwIfAborted();
  const open: Deno.Conn[] = [];
  const close = () => {
    for (const connection of open.splice(0)) {
      try {
        connection.close();
      } catch {
        // closed already, by TLS that has taken it over or by its streams
      }
    }
  };
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => {}); // told by the race below
  const abort = () => {
    close();
    aborted.reject(signal.reason);
  };
  signal.addEventListener("abort", abort, { once: true });
  const work = overNetwork(request, network, open);
  work.catch(() => {}); // an abort is told first
  try {
    return await Promise.race([work, aborted.promise]);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof LuminaError) throw error;
    throw new LuminaError("fetch.failed", errorMessage(error), { cause: error });
  } finally {
    signal.removeEventListener("abort", abort);
    close();
    if (signal.aborted) work.finally(close).catch(() => {}); // a connection that came too late
  }
}

async function overNetwork(
  request: GuardedRequest,
  network: Network,
  open: Deno.Conn[],
): Promise<FetchedBytes> {
  const { url, method, headers, body, signal, max_bytes, compressed } = request;
  const secure = url.protocol === "https:";
  if (!secure && url.protocol !== "http:") {
    throw new LuminaError("fetch.refused", `${url.protocol} addresses are not fetched`);
  }
  const reached = hostOfUrl(url.href);
  if (reached === undefined) throw new LuminaError("fetch.refused", `${url.href} names no host`);
  const { name: host, port = secure ? 443 : 80 } = reached;
  const addresses = await checkedAddresses(reached, request, network);
  const tcp = await connectFirst(addresses, port, network);
  open.push(tcp);
  signal.throwIfAborted();
  assertAllowed(host, (tcp.remoteAddr as Deno.NetAddr).hostname, request);
  let connection: Deno.Conn = tcp;
  if (secure) {
    const tls = await Deno.startTls(tcp, {
      hostname: host,
      caCerts: [...network.ca_certs],
      alpnProtocols: ["http/1.1"],
    });
    open.push(tls);
    await tls.handshake(); // some versions of Deno shake hands only with the first byte
    connection = tls;
    signal.throwIfAborted();
  }
  return await exchangeHttp(connection, {
    url,
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    max_bytes: max_bytes ?? MOST_BODY_BYTES,
    ...(compressed === true ? { compressed } : {}),
  });
}

/**
 * Throws `fetch.refused` when the host may not be reached, as {@link guardedFetch} does; for what goes through a proxy, which
 * looks names up by itself. A name that only the proxy can look up is the proxy's to judge.
 */
export async function assertHostAllowed(
  request: Pick<GuardedRequest, "url" | "private_allowed" | "private_hint">,
  network: Pick<Network, "resolve">,
): Promise<void> {
  const { url } = request;
  const reached = hostOfUrl(url.href);
  if (reached === undefined) throw new LuminaError("fetch.refused", `${url.href} names no host`);
  try {
    await checkedAddresses(reached, request, network);
  } catch (error) {
    if (error instanceof LuminaError && error.code === "fetch.refused") throw error;
  }
}

/** Every address of a host, all of which may be reached; a name with one that may not is refused as a whole. */
async function checkedAddresses(
  { name: host, kind }: UrlHost,
  allowed: Pick<GuardedRequest, "private_allowed" | "private_hint">,
  network: Pick<Network, "resolve">,
): Promise<string[]> {
  const addresses = kind === "name" ? await network.resolve(host) : [host];
  if (addresses.length === 0) throw new LuminaError("fetch.failed", `${host} has no address`);
  for (const address of addresses) assertAllowed(host, address, allowed);
  return addresses;
}

function assertAllowed(
  host: string,
  address: string,
  { private_allowed, private_hint }: Pick<GuardedRequest, "private_allowed" | "private_hint">,
): void {
  const kind = addressKind(address);
  if (kind === "public" || (kind === "private" && private_allowed)) return;
  const leads = host === address ? host : `${host} leads to ${address}, which`;
  const hint = kind === "private"
    ? `; ${private_hint ?? `only a rule that names the host opens it: WebFetch(domain:${host})`}`
    : "";
  throw new LuminaError("fetch.refused", `${leads} is no public address${hint}`);
}

async function connectFirst(
  addresses: readonly string[],
  port: number,
  network: Network,
): Promise<Deno.TcpConn> {
  let last: unknown;
  for (const address of addresses) {
    try {
      return await network.connect(address, port);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

function decode(bytes: Uint8Array, headers: Headers): string {
  const charset = /charset\s*=\s*"?([^\s";]+)/i.exec(headers.get("content-type") ?? "")?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // a name that no decoder has
  }
}
