import { appRootPaths } from "../../core/app_root/mod.ts";
import type { Network } from "../../core/app/net/guarded_fetch.ts";
import { WebTools } from "../../core/app/web/web_tools.ts";
import type { WebParts } from "../../core/app/web/web_tools.ts";
import { systemWorld } from "../../core/base/mod.ts";
import { loadSettings } from "../../core/config/mod.ts";
import { buildPolicy, createJudge, typedUrls } from "../../core/permission/mod.ts";
import { completeManifest, ToolCatalog } from "../../core/plugin_host/catalog.ts";
import type { ToolOutcome } from "../../core/plugin_api/mod.ts";
import type { JsonObject, Message, PermissionMode } from "../../core/types/mod.ts";
import { PINNED_TLS } from "./pinned_tls.ts";
import { tempDir } from "./temp_dir.ts";

const ROOT = new URL("../../", import.meta.url);
const CATALOG = new ToolCatalog([
  completeManifest(JSON.parse(await Deno.readTextFile(new URL("plugins/tools_web/manifest.json", ROOT)))),
]);
const judge = createJudge();

export interface WebHostOptions {
  /** `yolo` when absent. */
  mode?: PermissionMode;
  allow?: string[];
  deny?: string[];
  settings?: JsonObject;
  /** What the person wrote. */
  prompt?: string;
  messages?: Message[];
  network?: Network;
  env?: Record<string, string>;
}

/** What came of a call: refused by the kernel, or the tool's outcome. */
export type WebCall = { behavior: "ask" | "deny"; reason: string } | (ToolOutcome & { behavior: "ran" });

/** The tools of the web over the real kernel, manifests and settings; the network may be a test's. */
export async function webHost(options: WebHostOptions = {}) {
  const dir = await tempDir();
  await dir.write("root/config/settings.json", JSON.stringify(options.settings ?? {}));
  const env = {
    get: (name: string) => options.env?.[name],
    toObject: () => ({ ...options.env }),
  };
  const app_root = appRootPaths(dir.join("root"));
  const loaded = await loadSettings({
    app_root: app_root as Parameters<typeof loadSettings>[0]["app_root"],
    env,
    home: dir.path,
    flags: {},
  });
  const typed_urls = typedUrls(options.prompt ?? "");
  const policyWith = (deny: string[]) =>
    buildPolicy({
      mode: options.mode ?? "yolo",
      layers: [{
        source: { origin: "flag", base_dir: dir.path },
        allow: options.allow ?? [],
        deny,
      }],
      workspace: dir.path,
      home: dir.path,
    }).policy;
  let policy = policyWith(options.deny ?? []);
  const tools = new WebTools({
    app_root,
    env,
    files: { root: ROOT, entry: (path: string) => new URL(`${path}.ts`, ROOT) },
    session: { state: { messages: options.messages ?? [], typed_urls } },
    watch: { current: loaded },
    world: systemWorld,
    ...(options.network === undefined ? {} : { network: options.network }),
  } as unknown as WebParts);
  return {
    dir,
    /** From now on these rules refuse. */
    deny(rules: string[]): void {
      policy = policyWith(rules);
    },
    async call(name: "WebFetch" | "WebSearch", input: JsonObject, signal?: AbortSignal): Promise<WebCall> {
      const tool = CATALOG.find(name)!;
      const judged = (other: JsonObject) => judge.judge({ tool, input: other }, { ...policy, typed_urls });
      const verdict = await judged(input);
      if (verdict.behavior !== "allow") return { behavior: verdict.behavior, reason: verdict.reason };
      const outcome = await tools.call(name, input, {
        call_id: "call",
        verdict,
        seen: {},
        signal: signal ?? new AbortController().signal,
        progress() {},
        judge: judged,
      });
      return { behavior: "ran", ...outcome };
    },
    async [Symbol.asyncDispose]() {
      tools.close();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** The network of a test: names with the addresses given, in turn; every address leads to `port` on loopback. */
export function webNetwork(port: number, names: Record<string, string[][]>) {
  const looked_up: string[] = [];
  const connected: string[] = [];
  const network: Network = {
    resolve(host) {
      looked_up.push(host);
      const answers = names[host] ?? [];
      return Promise.resolve((answers.length > 1 ? answers.shift() : answers[0]) ?? []);
    },
    async connect(address) {
      connected.push(address);
      const connection = await Deno.connect({ hostname: "127.0.0.1", port });
      Object.defineProperty(connection, "remoteAddr", {
        value: { transport: "tcp", hostname: address, port },
      });
      return connection;
    },
    ca_certs: [PINNED_TLS.ca],
  };
  return { network, looked_up, connected };
}
