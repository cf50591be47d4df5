import { childEnvironment } from "../../config/mod.ts";
import type { ToolRun } from "../../agent/mod.ts";
import type { ToolOutcome } from "../../plugin_api/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { proxySettings } from "../model_options.ts";
import type { Network } from "../net/guarded_fetch.ts";
import { WebClient } from "../net/web_client.ts";
import type { SessionParts } from "../session_parts.ts";
import { managedSearxng } from "./managed_searxng.ts";
import { KnownUrls } from "./known_urls.ts";
import { PageCache } from "./page_cache.ts";
import { pageReader } from "./read_page.ts";
import { runCommand } from "./run_command.ts";
import { webFetch } from "./web_fetch.ts";
import type { FetchedPage, WebFetchDeps } from "./web_fetch.ts";
import { search, webSearch } from "./web_search.ts";
import type { WebSearchDeps } from "./web_search.ts";

/** What of a session the tools of the web work with. */
export type WebParts =
  & Pick<SessionParts, "app_root" | "env" | "files" | "session" | "watch" | "world">
  & {
    /** Of the machine when absent. */
    network?: Network;
  };

/** The tools of the web in one session: what was found and read, by whichever of its agents, serves all of them. */
export class WebTools {
  readonly #parts: WebParts;
  readonly #fetch: WebFetchDeps;
  readonly #search: WebSearchDeps;
  /** By what it was made from: settings may change while the session lives. */
  #client: { made_from: string; client: WebClient } | undefined;
  #closed: WebClient[] = [];

  constructor(parts: WebParts) {
    this.#parts = parts;
    const { app_root, env, files, session, watch, world } = parts;
    const known = new KnownUrls();
    known.addFrom(session.state.messages);
    const reader = pageReader(files.entry("core/app/web/page_worker"));
    const settings = () => watch.current.settings;
    this.#search = {
      known,
      parts: () => ({
        settings: settings(),
        client: this.#webClient(),
        reader,
        managed: async () => (await managedSearxng(app_root.stateDir))?.url,
        runCommand: (command, input, signal) =>
          runCommand(command, input, childEnvironment(env, settings()), signal),
      }),
    };
    this.#fetch = {
      settings,
      world,
      client: () => this.#webClient(),
      reader,
      known,
      cache: new PageCache<FetchedPage>(() => world.mono()),
      typed: () => session.state.typed_urls,
      search: async (query, signal) => void await search({ query }, signal, this.#search),
    };
  }

  async call(name: "WebFetch" | "WebSearch", input: JsonObject, run: ToolRun): Promise<ToolOutcome> {
    return name === "WebFetch"
      ? await webFetch(input, run, this.#fetch)
      : await webSearch(input, run, this.#search);
  }

  close(): void {
    this.#client?.client.close();
    for (const client of this.#closed.splice(0)) client.close();
  }

  #webClient(): WebClient {
    const { env, network, watch } = this.#parts;
    const ca_files = [
      watch.current.settings.ca_file,
      env.get("NODE_EXTRA_CA_CERTS"),
      env.get("SSL_CERT_FILE"),
    ]
      .filter((file) => file !== undefined && file !== "") as string[];
    const proxy = proxySettings(env);
    const made_from = JSON.stringify([ca_files, proxy]);
    if (this.#client?.made_from === made_from) return this.#client.client;
    if (this.#client !== undefined) this.#closed.push(this.#client.client); // calls may still use it
    const client = new WebClient({ proxy, ca_files, ...(network === undefined ? {} : { network }) });
    this.#client = { made_from, client };
    return client;
  }
}
