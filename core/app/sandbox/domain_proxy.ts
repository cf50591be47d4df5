import { existsSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../../base/mod.ts";
import { hostOfAuthority, hostOfUrl, matchesHost, readHostPattern, shownHost } from "../../permission/mod.ts";
import type { HostPattern, UrlHost } from "../../permission/mod.ts";
import { addressKind } from "../net/address_kind.ts";
import type { Network } from "../net/guarded_fetch.ts";

/** Bytes of a request's head. */
const MOST_HEAD_BYTES = 16 * 1024;
/** Connections at once. */
const MOST_CONNECTIONS = 128;
const HEAD_MS = 10_000;
const CONNECT_MS = 20_000;
/** Of the folder of a proxy's socket; behind it the process that made it. */
const FOLDER_PREFIX = "lumina-net-";
/** The ports of a domain that is listed without one. */
const WEB_PORTS = [80, 443];

/** A proxy for the commands of one call. */
export interface DomainProxy {
  /** A socket that this user alone can open. */
  readonly socket: string;
  /** Hosts that were asked for and are not listed, in order, each once. */
  refused(): string[];
  /** Ends every connection and takes the socket away. */
  close(): Promise<void>;
}

/** Cut off, with what the client is told. */
class Refusal extends Error {
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** The patterns of `sandbox.allowed_domains` that can be read, and those that cannot. */
export function domainPatterns(domains: readonly string[]): { patterns: HostPattern[]; unread: string[] } {
  const patterns: HostPattern[] = [];
  const unread: string[] = [];
  for (const domain of domains) {
    const pattern = readHostPattern(domain);
    if (pattern === undefined) unread.push(domain);
    else patterns.push(pattern);
  }
  return { patterns, unread };
}

/**
 * Listens on a socket in a private folder of `folder` and answers `CONNECT` and plain requests to the listed domains, nothing
 * else. A name is looked up once and the connection goes to an address that was checked: private ones only where the host is
 * listed by itself, metadata services and the like never. Everything refused gets 403 and the name of the setting.
 */
export async function openDomainProxy(
  { domains, folder, network }: { domains: readonly string[]; folder: string; network: Network },
): Promise<DomainProxy> {
  const { patterns } = domainPatterns(domains);
  const home = await Deno.makeTempDir({ dir: folder, prefix: `${FOLDER_PREFIX}${Deno.pid}-` });
  const socket = join(home, "proxy");
  const listener = Deno.listen({ transport: "unix", path: socket });
  await Deno.chmod(socket, 0o600);
  const open = new Set<Deno.Conn>();
  const refused = new Set<string>();
  const running = new Set<Promise<void>>();
  const serve = async (client: Deno.Conn): Promise<void> => {
    open.add(client);
    try {
      await answer(client, { patterns, network, open, refused });
    } catch {
      // one side has gone: nobody is left to tell
    } finally {
      shut(client);
      open.delete(client);
    }
  };
  const accepting = (async () => {
    for await (const client of listener) {
      if (open.size >= MOST_CONNECTIONS) {
        shut(client);
        continue;
      }
      const one = serve(client).finally(() => running.delete(one));
      running.add(one);
    }
  })();
  accepting.catch(() => {}); // the listener was closed
  return {
    socket,
    refused: () => [...refused],
    close: async () => {
      shut(listener);
      for (const connection of open) shut(connection);
      await Promise.allSettled([accepting, ...running]);
      await Deno.remove(home, { recursive: true });
    },
  };
}

/** Takes away the sockets in `folder` whose process was killed before it could. Linux only. */
export async function removeLeftSockets(folder: string): Promise<void> {
  for await (const { name } of Deno.readDir(folder)) {
    const pid = new RegExp(`^${FOLDER_PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || existsSync(`/proc/${pid}`)) continue;
    try {
      await Deno.remove(join(folder, name), { recursive: true });
    } catch {
      // another user's: that one takes it away
    }
  }
}

interface Serving {
  patterns: readonly HostPattern[];
  network: Network;
  open: Set<Deno.Conn>;
  refused: Set<string>;
}

async function answer(client: Deno.Conn, serving: Serving): Promise<void> {
  let remote: Deno.TcpConn | undefined;
  try {
    const { head, rest } = await readHead(client);
    const request = readRequest(head);
    remote = await within(CONNECT_MS, reach(request.host, serving), shut);
    serving.open.add(remote);
    if (request.tunnel) await writeAll(client, text("HTTP/1.1 200 Connection established\r\n\r\n"));
    else await writeAll(remote, bytesOf(request.forwarded));
    if (rest.length > 0) await writeAll(remote, rest);
    await Promise.all([pump(client, remote), pump(remote, client)]);
  } catch (error) {
    if (remote !== undefined) throw error;
    const status = error instanceof Refusal ? error.status : 502;
    await writeAll(client, text(errorAnswer(status, errorMessage(error))));
  } finally {
    if (remote !== undefined) {
      shut(remote);
      serving.open.delete(remote);
    }
  }
}

/** Connects to a listed host at an address that may be reached. */
async function reach(
  host: Required<UrlHost>,
  { patterns, network, refused }: Serving,
): Promise<Deno.TcpConn> {
  const shown = `${shownHost(host)}${WEB_PORTS.includes(host.port) ? "" : `:${host.port}`}`;
  const listed = patterns.filter((pattern) =>
    matchesHost(pattern, host) && (pattern.port !== undefined || WEB_PORTS.includes(host.port))
  );
  if (listed.length === 0) {
    refused.add(shown);
    const named = patterns.some((pattern) => pattern.port === undefined && matchesHost(pattern, host));
    throw new Refusal(
      403,
      `${shown} is not in sandbox.allowed_domains${
        named ? ", where a name alone is ports 80 and 443; write it with its port" : ""
      }`,
    );
  }
  const by_itself = listed.some((pattern) => pattern.host !== undefined);
  const addresses = host.kind === "name" ? await network.resolve(host.name) : [host.name];
  const good = addresses.length > 0 && addresses.every((address) => {
    const kind = addressKind(address);
    return kind === "public" || (kind === "private" && by_itself);
  });
  if (!good) {
    refused.add(shown);
    throw new Refusal(403, `${shown} leads to no public address; a private one must be listed by itself`);
  }
  let last: unknown = new Error(`${shown} has no address`);
  for (const address of addresses) {
    try {
      return await network.connect(address, host.port);
    } catch (error) {
      last = error;
    }
  }
  throw last;
}

interface ProxyRequest {
  host: Required<UrlHost>;
  tunnel: boolean;
  /** The head as the host gets it. */
  forwarded: string;
}

/** Reads the head of a request to a proxy (RFC 9110, 9.3.6; RFC 9112, 3.2). Throws {@link Refusal}. */
function readRequest(head: string): ProxyRequest {
  const [line = "", ...fields] = head.split("\r\n");
  const [, method = "", target = ""] = /^([A-Z]{1,20}) (\S+) HTTP\/1\.[01]$/.exec(line) ?? [];
  if (method === "CONNECT") {
    const host = hostOfAuthority(target);
    if (host?.port === undefined) throw new Refusal(400, "CONNECT needs host:port");
    return { host: { ...host, port: host.port }, tunnel: true, forwarded: "" };
  }
  const url = URL.parse(target);
  const host = hostOfUrl(target);
  if (url?.protocol !== "http:" || host?.port === undefined) {
    throw new Refusal(400, "this is a proxy: the request must name an http:// address");
  }
  // one request for each connection, and the host that was checked is the one that is asked for
  const kept = fields.filter((field) =>
    !/^(?:host|connection|keep-alive|upgrade|te|trailer|proxy-[\w-]+)\s*:/i.test(field)
  );
  const forwarded = [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    ...kept,
    "Connection: close",
    "",
    "",
  ].join("\r\n");
  return { host: { ...host, port: host.port }, tunnel: false, forwarded };
}

/** Everything up to the empty line, and what came behind it. */
async function readHead(client: Deno.Conn): Promise<{ head: string; rest: Uint8Array }> {
  let bytes = new Uint8Array();
  const timer = setTimeout(() => shut(client), HEAD_MS);
  try {
    for (;;) {
      const chunk = new Uint8Array(4096);
      const count = await client.read(chunk);
      if (count === null) throw new Refusal(400, "the request ended early");
      const joined = new Uint8Array(bytes.length + count);
      joined.set(bytes);
      joined.set(chunk.subarray(0, count), bytes.length);
      bytes = joined;
      const shown = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
      const end = shown.indexOf("\r\n\r\n");
      if (end >= 0) return { head: shown.slice(0, end), rest: bytes.subarray(end + 4) };
      if (bytes.length > MOST_HEAD_BYTES) {
        throw new Refusal(431, `the head of a request has at most ${MOST_HEAD_BYTES} bytes`);
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The value in time; one that comes late is handed to `drop`. Throws {@link Refusal}. */
async function within<T>(ms: number, work: Promise<T>, drop: (late: T) => void): Promise<T> {
  const over = Promise.withResolvers<never>();
  const timer = setTimeout(() => over.reject(new Refusal(504, "the host did not answer in time")), ms);
  try {
    return await Promise.race([work, over.promise]);
  } catch (error) {
    work.then(drop, () => {}); // told already
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Hands on until `from` ends; then `to` hears that nothing more comes. */
async function pump(from: Deno.Conn, to: Deno.Conn): Promise<void> {
  const buffer = new Uint8Array(32 * 1024);
  try {
    for (let count = await from.read(buffer); count !== null; count = await from.read(buffer)) {
      await writeAll(to, buffer.subarray(0, count));
    }
    await to.closeWrite();
  } catch {
    // a side that broke off ends both
    shut(from);
    shut(to);
  }
}

async function writeAll(to: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await to.write(bytes.subarray(sent));
}

function errorAnswer(status: number, why: string): string {
  const words: Readonly<Record<number, string>> = {
    400: "Bad Request",
    403: "Forbidden",
    431: "Request Header Fields Too Large",
    504: "Gateway Timeout",
  };
  const body = `Lumina's sandbox: ${why}\n`;
  const length = new TextEncoder().encode(body).length;
  return `HTTP/1.1 ${status} ${
    words[status] ?? "Bad Gateway"
  }\r\nContent-Type: text/plain; charset=utf-8\r\n` +
    `Content-Length: ${length}\r\nConnection: close\r\n\r\n${body}`;
}

/** A head as {@link readHead} reads it: one byte for each character, whatever encoding it was. */
function bytesOf(head: string): Uint8Array {
  return Uint8Array.from(head, (char) => char.charCodeAt(0));
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function shut(resource: { close(): void }): void {
  try {
    resource.close();
  } catch {
    // closed already
  }
}
