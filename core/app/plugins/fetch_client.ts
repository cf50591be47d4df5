import { errorMessage, EXIT, LuminaError } from "../../base/mod.ts";
import type { EnvReader } from "../../app_root/mod.ts";

/** Fetches with the certificates that hold for model traffic too; proxies come from the usual variables. */
export interface FetchClient extends AsyncDisposable {
  fetch(url: URL, init: RequestInit): Promise<Response>;
}

/** A client that is made at its first use. Its fetch throws `config.ca_file` (exit 2) for certificates that cannot be read. */
export function fetchClient(ca_file: () => Promise<string | undefined>, env: EnvReader): FetchClient {
  let client: Promise<Deno.HttpClient> | undefined;
  const make = async () => Deno.createHttpClient({ caCerts: await certificates(await ca_file(), env) });
  return {
    async fetch(url, init) {
      client ??= make();
      return await fetch(url, { ...init, client: await client } as RequestInit);
    },
    async [Symbol.asyncDispose]() {
      (await client?.catch(() => undefined))?.close(); // what failed was thrown by fetch
    },
  };
}

/** The further certificates that are trusted, PEM. Throws `config.ca_file` (exit 2). */
export async function certificates(ca_file: string | undefined, env: EnvReader): Promise<string[]> {
  const files = [ca_file, env.get("NODE_EXTRA_CA_CERTS"), env.get("SSL_CERT_FILE")];
  const named = files.filter((file) => file !== undefined && file !== "") as string[];
  return await Promise.all(named.map(readCertificate));
}

async function readCertificate(file: string): Promise<string> {
  try {
    return await Deno.readTextFile(file);
  } catch (cause) {
    throw new LuminaError(
      "config.ca_file",
      `Cannot read the CA file ${file}: ${errorMessage(cause)}; fix ca_file or the variable that names it`,
      { exit: EXIT.usage, cause },
    );
  }
}
