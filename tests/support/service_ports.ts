import { join } from "node:path";
import { guardedFetch } from "../../core/app/net/guarded_fetch.ts";
import type { Network } from "../../core/app/net/guarded_fetch.ts";
import { InputValidator } from "../../core/plugin_host/mod.ts";
import type {
  ServiceAnswer,
  ServiceDecision,
  ServicePack,
  ServicePorts,
} from "../../core/plugin_host/services/mod.ts";
import type { CapabilityRequest } from "../../core/plugin_api/mod.ts";
import { buildPolicy, createJudge } from "../../core/permission/mod.ts";
import type { JsonObject, PermissionMode } from "../../core/types/mod.ts";

export interface ServiceRules {
  mode?: PermissionMode;
  allow?: string[];
  ask?: string[];
  deny?: string[];
}

/** What the host of a test saw. */
export interface SeenByHost {
  decisions: ServiceDecision[];
  captured: string[];
  questions: { tool: string; input: JsonObject; reason: string }[];
  emitted: { pack: string; name: string; data: JsonObject }[];
  lines: string[];
}

/** A network in which nothing but what it names can be reached. */
export const NO_NETWORK: Network = {
  resolve: (host) => Promise.reject(new Error(`${host} was looked up`)),
  connect: (address) => Promise.reject(new Error(`${address} was connected to`)),
  ca_certs: [],
};

const judge = createJudge();

/** The services' ports over a real folder and the real kernel; people answer what `answer` says. */
export function servicePorts(
  dir: string,
  rules: ServiceRules,
  { network = NO_NETWORK, answer = { behavior: "deny", by: "headless" }, ...more }:
    & { network?: Network; answer?: ServiceAnswer }
    & Partial<ServicePorts> = {},
): ServicePorts & { seen: SeenByHost } {
  const workspace = join(dir, "ws");
  const { policy } = buildPolicy({
    mode: rules.mode ?? "ask",
    layers: [{
      source: { origin: "flag", base_dir: workspace },
      allow: rules.allow ?? [],
      ask: rules.ask ?? [],
      deny: rules.deny ?? [],
    }],
    workspace,
    added_dirs: [],
    read_dirs: [],
    home: join(dir, "home"),
    protected_paths: [join(dir, "root")],
    path: "/usr/bin:/bin",
  });
  const validator = new InputValidator();
  const seen: SeenByHost = { decisions: [], captured: [], questions: [], emitted: [], lines: [] };
  return {
    seen,
    workspace,
    roots: [workspace],
    home: join(dir, "home"),
    dataDir: ({ id }) => join(dir, "root", "data", "plugins", id, "data"),
    artifacts_dir: join(dir, "root", "artifacts"),
    judge: (tool, input) => judge.judge({ tool, input }, policy),
    ask({ tool, input, verdict }) {
      seen.questions.push({ tool, input, reason: verdict.reason });
      return Promise.resolve(answer);
    },
    decided(decision) {
      seen.decisions.push(decision);
      return Promise.resolve();
    },
    capture(_tool, verdict) {
      seen.captured.push(...verdict.paths.map(({ resolved }) => resolved));
      return Promise.resolve();
    },
    http: (request) => guardedFetch(request, network),
    complete: ({ prompt }) => Promise.resolve(`answer to ${prompt}`),
    messages: () => Promise.resolve([]),
    tasks: {
      list: () => Promise.resolve([]),
      create: (task) => Promise.resolve(task),
      update: (_id, change) => Promise.resolve(change),
    },
    emit(pack, name, data) {
      seen.emitted.push({ pack, name, data });
      return Promise.resolve();
    },
    log(level, text) {
      seen.lines.push(`${level}: ${text}`);
      return Promise.resolve();
    },
    config: () => undefined,
    check: (schema, value) => validator.check(schema, value),
    max_requests: () => 200,
    max_answer_bytes: () => 16 * 1024 * 1024,
    ...more,
  };
}

/** A pack that asked for something and was granted it. */
export function packWith(...capabilities: CapabilityRequest[]): ServicePack {
  return { id: "probe", manifest: { capabilities }, grant: capabilities };
}
