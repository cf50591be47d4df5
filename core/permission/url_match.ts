import { domainToASCII, domainToUnicode } from "node:url";

/**
 * Which host a URL reaches, and whether a rule's host pattern names it. The one place where the kernel, the fetch service and
 * the proxy of the sandbox take hosts apart. Hosts are read as the WHATWG URL standard reads them (https://url.spec.whatwg.org),
 * since that is what will connect: user names, back-slashes, tabs, percent-encodings, IDN and the short, octal, hexadecimal and
 * decimal spellings of IPv4 are gone afterwards.
 */
export interface UrlHost {
  /** Lower-case ASCII without brackets and without dots at the end; an address in its one canonical form. */
  name: string;
  kind: "name" | "ipv4" | "ipv6";
  /** The port that is connected to; undefined where the scheme has none. */
  port?: number;
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  "http:": 80,
  "https:": 443,
  "ws:": 80,
  "wss:": 443,
  "ftp:": 21,
};

/** The host of a URL; undefined for a text that is none, or that has no host. */
export function hostOfUrl(url: string): UrlHost | undefined {
  const parsed = URL.parse(url);
  if (parsed === null || parsed.hostname === "") return undefined;
  // schemes that the standard does not know keep their host as it was written
  const special = parsed.protocol in DEFAULT_PORTS;
  const name = special ? parsed.hostname : URL.parse(`http://${parsed.hostname}/`)?.hostname;
  const port = parsed.port === "" ? DEFAULT_PORTS[parsed.protocol] : Number(parsed.port);
  return name === undefined ? undefined : named(name, port);
}

/**
 * The host that a text names, as `CONNECT` and `Host` have it: `example.com`, `example.com:8080`, `[::1]:443`, `::1`.
 * Undefined for anything else: a path, a user, a zone (`fe80::1%eth0`), an empty port.
 */
export function hostOfAuthority(text: string): UrlHost | undefined {
  const bare = text.trim();
  if (bare === "" || /[/\\?#@\s%]/.test(bare)) return undefined;
  const address = /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(bare) ? `[${bare}]` : bare;
  const port = /:(\d{1,5})$/.exec(address.replace(/^\[.*\]/, ""))?.[1];
  if (port === undefined && /:[^\]]*$/.test(address.replace(/^\[.*\]/, ""))) return undefined;
  const host = port === undefined ? address : address.slice(0, -port.length - 1);
  const parsed = URL.parse(`http://${host}/`);
  if (parsed === null || parsed.hostname === "" || (port !== undefined && Number(port) > 65_535)) {
    return undefined;
  }
  return named(parsed.hostname, port === undefined ? undefined : Number(port));
}

/** How people see the host of a URL: lower-case ASCII, brackets around an address of IPv6; undefined when it has none. */
export function urlHost(url: string): string | undefined {
  const host = hostOfUrl(url);
  return host === undefined ? undefined : shownHost(host);
}

/** A host as a rule or a message names it. */
export function shownHost({ name, kind }: UrlHost): string {
  return kind === "ipv6" ? `[${name}]` : name;
}

/** What a rule's host pattern says, taken apart. */
export interface HostPattern {
  /** Stands for a whole host, or undefined with `labels`. */
  host?: UrlHost;
  /** Patterns of single labels, from the left, where there is a `*`. */
  labels: readonly string[];
  /** `*.example.com`: any number of labels, at least one, before the others. */
  deep: boolean;
  port?: number;
}

/**
 * Reads `example.com`, `*.example.com`, `api-*.example.com`, `localhost:3000`, `127.0.0.1`, `[::1]`, `bücher.example`.
 * Undefined for what names no host: a scheme, a path, a user.
 */
export function readHostPattern(text: string): HostPattern | undefined {
  const bare = text.trim().toLowerCase();
  if (bare === "" || /[/\\?#@\s%]/.test(bare)) return undefined;
  if (!bare.includes("*")) {
    const host = hostOfAuthority(bare);
    if (host === undefined) return undefined;
    return { host, labels: [], deep: false, ...(host.port === undefined ? {} : { port: host.port }) };
  }
  const [, body = "", port] = /^(.*?)(?::(\d{1,5}))?$/.exec(bare) ?? [];
  if (/[[\]:]/.test(body)) return undefined;
  const deep = body.startsWith("*.");
  // the dots that IDN takes for one (UTS 46, 2.3)
  const labels = (deep ? body.slice(2) : body).replace(/[\u3002\uff0e\uff61]/g, ".").replace(/\.+$/, "")
    .split(".");
  if (labels.some((label) => label === "")) return undefined;
  return {
    labels: labels.map((label) => label.includes("*") ? label.normalize("NFC") : asciiLabel(label)),
    deep,
    ...(port === undefined ? {} : { port: Number(port) }),
  };
}

/**
 * True when the pattern names the host. A `*` stays inside one label and a leading `*.` stands for one or more labels. In
 * an allow rule no pattern with `*` ever names an address, in a refusing one (`widen`) `*` alone names every host and a
 * pattern is held against addresses too, also the IPv4 address that one of IPv6 carries.
 */
export function matchesHost(pattern: HostPattern, host: UrlHost, widen = false): boolean {
  if (pattern.port !== undefined && host.port !== undefined && pattern.port !== host.port) return false;
  if (pattern.port !== undefined && host.port === undefined && !widen) return false;
  const names = widen ? [host.name, ...carriedV4(host)] : [host.name];
  if (pattern.host !== undefined) {
    const wanted = pattern.host;
    return names.includes(wanted.name) || (widen && carriedV4(wanted).some((name) => names.includes(name)));
  }
  if (
    widen && !pattern.deep && pattern.labels.every((label) => /^\*+$/.test(label)) &&
    pattern.labels.length === 1
  ) {
    return true;
  }
  if (host.kind !== "name" && !widen) return false;
  return names.some((name) => matchesLabels(pattern, name));
}

/**
 * `domain:host` of a rule against a URL. False for a text that is no URL. `widen` for rules that refuse or ask.
 */
export function matchesDomain(specifier: string, url: string, widen = false): boolean {
  if (!specifier.startsWith("domain:")) return false;
  const pattern = readHostPattern(specifier.slice("domain:".length));
  const host = hostOfUrl(url);
  return pattern !== undefined && host !== undefined && matchesHost(pattern, host, widen);
}

function named(hostname: string, port: number | undefined): UrlHost | undefined {
  const at = port === undefined ? {} : { port };
  if (hostname.startsWith("[")) {
    const name = hostname.slice(1, -1);
    const v4 = mappedV4(name);
    return v4 === undefined ? { name, kind: "ipv6", ...at } : { name: v4, kind: "ipv4", ...at };
  }
  const name = hostname.toLowerCase().replace(/\.+$/, "");
  if (name === "") return undefined;
  return { name, kind: /^\d+(\.\d+){3}$/.test(name) ? "ipv4" : "name", ...at };
}

/** `::ffff:7f00:1` is the IPv4 address 127.0.0.1 (RFC 4291, 2.5.5.2). */
function mappedV4(name: string): string | undefined {
  const groups = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(name);
  return groups === null ? undefined : dotted(groups[1], groups[2]);
}

/** IPv4 addresses inside one of IPv6: compatible (RFC 4291), NAT64 (RFC 6052) and 6to4 (RFC 3056). */
function carriedV4({ name, kind }: UrlHost): string[] {
  if (kind !== "ipv6") return [];
  const inside = /^(?:::|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(name) ??
    /^2002:([0-9a-f]{1,4}):([0-9a-f]{1,4}):/.exec(name);
  return inside === null ? [] : [dotted(inside[1], inside[2])];
}

function dotted(high = "0", low = "0"): string {
  const value = (group: string) => Number.parseInt(group, 16);
  return [value(high) >> 8, value(high) & 255, value(low) >> 8, value(low) & 255].join(".");
}

function matchesLabels({ labels, deep }: HostPattern, name: string): boolean {
  const own = name.split(".");
  if (deep ? own.length <= labels.length : own.length !== labels.length) return false;
  const tail = own.slice(own.length - labels.length);
  return labels.every((label, index) => matchesLabel(label, tail[index] ?? ""));
}

/** One label, also by what it shows: `bü*` names `xn--bcher-kva`. */
function matchesLabel(pattern: string, label: string): boolean {
  if (!pattern.includes("*")) return pattern === label;
  const wanted = new RegExp(
    `^${pattern.split("*").map((part) => part.replace(/[\\^$.+?()[\]{}|/]/g, "\\$&")).join(".*")}$`,
    "su",
  );
  return wanted.test(label) || (label.startsWith("xn--") && wanted.test(domainToUnicode(label)));
}

function asciiLabel(label: string): string {
  return domainToASCII(label) || label;
}
