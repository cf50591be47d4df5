import { errorMessage, LuminaError } from "../../base/mod.ts";
import { HttpClients, routeFor } from "../../model/mod.ts";
import type { ProxySettings } from "../../model/mod.ts";
import { assertHostAllowed, guardedBytes, systemNetwork } from "./guarded_fetch.ts";
import type { FetchedBytes, GuardedRequest, Network } from "./guarded_fetch.ts";

export interface WebClientParts {
  proxy: ProxySettings;
  /** PEM files that are trusted besides the usual certificates. */
  ca_files: readonly string[];
  /** Of the machine when absent. */
  network?: Network;
}

/**
 * One request after the other to the web, without following redirects: straight to an address that was checked, or through
 * the proxy that the usual variables name. A proxy looks names up by itself, so of such a request the name is checked here
 * and the proxy decides what it reaches. Throws what {@link guardedBytes} throws.
 */
export class WebClient {
  readonly #parts: WebClientParts;
  #network: Promise<Network> | undefined;
  #clients: HttpClients | undefined;

  constructor(parts: WebClientParts) {
    this.#parts = parts;
  }

  async send(request: GuardedRequest & { max_bytes: number }): Promise<FetchedBytes> {
    this.#network ??= this.#makeNetwork();
    const network = await this.#network;
    if (routeFor(request.url, this.#parts.proxy).kind === "direct") {
      return await guardedBytes({ ...request, compressed: true }, network);
    }
    await assertHostAllowed(request, network);
    return await this.#throughProxy(request);
  }

  close(): void {
    this.#clients?.close();
  }

  async #makeNetwork(): Promise<Network> {
    const { network, ca_files } = this.#parts;
    return network ?? systemNetwork(await Promise.all(ca_files.map(readCertificate)));
  }

  async #throughProxy(request: GuardedRequest & { max_bytes: number }): Promise<FetchedBytes> {
    const { url, method, headers, body, signal, max_bytes } = request;
    this.#clients ??= new HttpClients(this.#parts);
    const client = await this.#clients.clientFor(url);
    const init = {
      method,
      headers,
      redirect: "manual",
      signal,
      client,
      ...(body === undefined ? {} : { body }),
    };
    try {
      const response = await fetch(url, init as RequestInit);
      return { status: response.status, headers: response.headers, body: await upTo(response, max_bytes) };
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof LuminaError) throw error;
      throw new LuminaError("fetch.failed", errorMessage(error), { cause: error });
    }
  }
}

async function upTo(response: Response, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let total = 0;
  for await (const part of response.body ?? []) {
    total += part.length;
    // leaving the loop cancels the body
    if (total > most) throw new LuminaError("fetch.too_large", `the answer has more than ${most} bytes`);
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

async function readCertificate(file: string): Promise<string> {
  try {
    return await Deno.readTextFile(file);
  } catch (cause) {
    throw new LuminaError(
      "config.ca_file",
      `Cannot read the CA file ${file}: ${errorMessage(cause)}; fix ca_file or the variable that names it`,
      { cause },
    );
  }
}
