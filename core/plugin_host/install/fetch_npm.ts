import { errorMessage, EXIT } from "../../base/mod.ts";
import { isJsonObject } from "../../types/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { PACK_LIMITS } from "./entry_list.ts";
import type { NpmConfig } from "./npm_config.ts";
import { PackProblem } from "./pack_problem.ts";

/** Bytes of a registry's document on one package at most. */
const MAX_DOCUMENT = 32 * 1024 * 1024;
const MAX_HOPS = 5;

export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

/**
 * Downloads the tarball of a package to `file`: the version that `spec` names (a version, a range or a tag; empty for
 * `latest`), checked against the registry's SHA-512. Throws `PackProblem`.
 */
export async function fetchNpm(
  { name, spec }: { name: string; spec: string },
  { fetch, npm, signal }: { fetch: Fetch; npm: NpmConfig; signal: AbortSignal },
  file: string,
): Promise<void> {
  const registry = npm.registryOf(name);
  const url = new URL(name.replace("/", "%2f"), registry);
  const get = (url: URL, accept: string) => follow(fetch, npm, url, registry, accept, signal);
  const response = await get(
    url,
    "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*; q=0.1",
  );
  if (response.status === 404) {
    await response.body?.cancel();
    throw new PackProblem(`the registry ${registry.href} has no package ${name}`, {
      code: "plugin.not_found",
      exit: EXIT.not_found,
    });
  }
  const document = await readDocument(response, url);
  const dist = await chooseVersion(document, name, spec, registry);
  const sri = typeof dist["integrity"] === "string" ? dist["integrity"] : "";
  const expected = sri.split(/\s+/).find((part) => part.startsWith("sha512-"))?.slice("sha512-".length);
  if (expected === undefined) {
    throw new PackProblem(`the registry ${registry.href} gives no SHA-512 for it, so it cannot be checked`, {
      code: "plugin.fetch",
    });
  }
  const tarball = tarballUrl(dist["tarball"], registry);
  const bytes = await get(tarball, "*/*");
  await save(bytes, tarball, file);
  const { createHash } = await import("node:crypto");
  const actual = createHash("sha512").update(await Deno.readFile(file)).digest("base64");
  if (actual !== expected.split("?")[0]) {
    throw new PackProblem(
      `${tarball.href} is not what the registry describes: its SHA-512 is another one`,
      { code: "plugin.integrity" },
    );
  }
}

/** The `dist` of the version that is meant. */
async function chooseVersion(
  document: JsonObject,
  name: string,
  spec: string,
  registry: URL,
): Promise<JsonObject> {
  const versions = isJsonObject(document["versions"]) ? document["versions"] : {};
  const tags = isJsonObject(document["dist-tags"]) ? document["dist-tags"] : {};
  const tagged = tags[spec === "" ? "latest" : spec];
  let version = typeof tagged === "string" ? tagged : undefined;
  if (version === undefined && spec !== "") {
    const { default: semver } = await import("semver");
    version = semver.maxSatisfying(Object.keys(versions), spec) ?? undefined;
  }
  const chosen = version === undefined ? undefined : versions[version];
  if (!isJsonObject(chosen) || !isJsonObject(chosen["dist"])) {
    const known = Object.keys(versions).slice(-5).join(", ");
    const wanted = spec === "" ? "no version tagged latest" : `no version ${spec}`;
    throw new PackProblem(
      `the registry ${registry.href} has ${wanted} of ${name}${
        known === "" ? "" : ` (its newest are ${known})`
      }`,
      { code: "plugin.not_found", exit: EXIT.not_found },
    );
  }
  return chosen["dist"];
}

function tarballUrl(given: unknown, registry: URL): URL {
  if (typeof given !== "string" || !URL.canParse(given)) {
    throw new PackProblem(`the registry ${registry.href} names no tarball for it`, { code: "plugin.fetch" });
  }
  const url = new URL(given);
  if (url.protocol === "https:" || (url.protocol === "http:" && registry.protocol === "http:")) return url;
  throw new PackProblem(`the registry ${registry.href} names a tarball that is not served by https`, {
    code: "plugin.fetch",
  });
}

/** A GET that follows redirects itself: what proves who we are goes to the registry's own origin alone. */
async function follow(
  fetch: Fetch,
  npm: NpmConfig,
  start: URL,
  registry: URL,
  accept: string,
  signal: AbortSignal,
): Promise<Response> {
  let url = start;
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    const headers = new Headers({ accept });
    const authorization = url.origin === registry.origin ? npm.authorization(url) : undefined;
    if (authorization !== undefined) headers.set("authorization", authorization);
    let response: Response;
    try {
      response = await fetch(url, { headers, redirect: "manual", signal });
    } catch (cause) {
      signal.throwIfAborted();
      throw new PackProblem(`${url.href} cannot be reached: ${networkFault(cause)}`, {
        code: "plugin.fetch",
        cause,
      });
    }
    const target = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || target === null) return response;
    await response.body?.cancel();
    const next = URL.canParse(target, url) ? new URL(target, url) : undefined;
    const allowed = next?.protocol === "https:" || (next?.protocol === "http:" && url.protocol === "http:");
    if (next === undefined || !allowed) {
      throw new PackProblem(`${url.href} leads to an address that is not https`, { code: "plugin.fetch" });
    }
    url = next;
  }
  throw new PackProblem(`${start.href} leads on more than ${MAX_HOPS} times`, { code: "plugin.fetch" });
}

/** The innermost reason: what is around it only says that a request failed. */
function networkFault(error: unknown): string {
  let inner = error;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  return errorMessage(inner);
}

async function readDocument(response: Response, url: URL): Promise<JsonObject> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  await drain(response, url, MAX_DOCUMENT, (bytes) => void parts.push(bytes));
  try {
    const value: unknown = JSON.parse(await new Blob(parts).text());
    if (isJsonObject(value)) return value;
  } catch {
    // a page of something that is no registry: said below
  }
  throw new PackProblem(`${url.href} gives no JSON document: is it a registry?`, { code: "plugin.fetch" });
}

async function save(response: Response, url: URL, path: string): Promise<void> {
  using file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  await drain(response, url, PACK_LIMITS.archive_bytes, async (bytes) => {
    for (let sent = 0; sent < bytes.length;) sent += await file.write(bytes.subarray(sent));
  });
}

/** Reads a whole body, up to a limit. */
async function drain(
  response: Response,
  url: URL,
  limit: number,
  take: (bytes: Uint8Array<ArrayBuffer>) => void | Promise<void>,
): Promise<void> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new PackProblem(`${url.href} answers ${response.status}`, { code: "plugin.fetch" });
  }
  let total = 0;
  const failed = (cause: unknown) =>
    new PackProblem(`${url.href} ended before its end: ${errorMessage(cause)}`, {
      code: "plugin.fetch",
      cause,
    });
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw failed(cause);
      });
      if (done) return;
      total += value.length;
      if (total > limit) {
        throw new PackProblem(`${url.href} has more than ${limit / (1024 * 1024)} MiB`, {
          code: "plugin.fetch",
        });
      }
      await take(value);
    }
  } finally {
    await reader.cancel().catch(() => {}); // it has ended, or failed as was said
  }
}
