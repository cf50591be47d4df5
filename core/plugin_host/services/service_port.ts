import type { CapabilityRequest, ServiceName, ToolManifest } from "../../plugin_api/mod.ts";
import type { Json, JsonObject, Verdict } from "../../types/mod.ts";

/** What the services must know of a pack. */
export interface ServicePack {
  id: string;
  manifest: {
    /** What it asked for. */
    capabilities: readonly CapabilityRequest[];
    /** JSON Schema of its section of the settings. */
    config?: JsonObject;
  };
  /** What the person granted. */
  grant: readonly CapabilityRequest[];
}

/** One request as it comes from a pack: nothing in it has been checked. */
export interface PackRequest {
  service: ServiceName;
  method: string;
  params: JsonObject;
}

/** The call during which a pack asks. */
export interface ServiceCall {
  pack: ServicePack;
  call_id: string;
  signal: AbortSignal;
}

/** What a person said to a call that is asked about. */
export type ServiceAnswer =
  | { behavior: "allow"; by: "user"; updated_input?: JsonObject }
  | { behavior: "deny"; by: "user" | "headless"; message?: string };

/** One exchange over HTTP with an address that was looked up once and checked. */
export interface HttpRequest {
  url: URL;
  method: "GET" | "POST";
  headers: Headers;
  body?: string;
  /** The person named this very host: loopback and private addresses may be reached. */
  private_allowed: boolean;
  signal: AbortSignal;
}

export interface HttpAnswer {
  status: number;
  headers: Headers;
  body: string;
}

/** The session's tasks, as plugins see and change them. */
export interface TaskPort {
  list(): Promise<JsonObject[]>;
  create(task: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  update(id: string, change: JsonObject, signal: AbortSignal): Promise<JsonObject>;
}

/** What the host does for packs during one run. */
export interface ServicePorts {
  /** Where relative paths start; absolute, links resolved. */
  workspace: string;
  /** The workspace and the folders that were added to it. */
  roots: readonly string[];
  home: string;
  /** The pack's own folder, absolute, links resolved. */
  dataDir(pack: ServicePack): string;
  /** Where the session's artifacts lie; made at the first use. */
  artifacts_dir: string;
  /** The permission kernel under the session's rules and mode. */
  judge(tool: ToolManifest, input: JsonObject): Promise<Verdict>;
  ask(
    question: { call_id: string; tool: string; input: JsonObject; verdict: Verdict },
    signal: AbortSignal,
  ): Promise<ServiceAnswer>;
  /** Records a decision in the session, before what was decided on happens. */
  decided(decision: ServiceDecision): Promise<void>;
  /** Keeps the workspace as it is before a file is written. */
  capture(tool: ToolManifest, verdict: Verdict, call: ServiceCall): Promise<void>;
  http(request: HttpRequest): Promise<HttpAnswer>;
  /** One answer of the session's model; throws `ServiceError`. */
  complete(
    request: { system: string; prompt: string; max_tokens?: number },
    call: ServiceCall,
  ): Promise<string>;
  /** The texts of the conversation, oldest first, secrets masked. */
  messages(limit: number): Promise<{ role: "user" | "assistant"; text: string }[]>;
  /** The session's list of tasks. What cannot be done rejects with a `ServiceError`. */
  tasks: TaskPort;
  emit(pack: string, name: string, data: JsonObject, call_id: string): Promise<void>;
  log(level: "info" | "warning", text: string, call: ServiceCall): Promise<void>;
  /** The pack's section of the settings; undefined when there is none. */
  config(pack_id: string): JsonObject | undefined;
  /** What is wrong with a value, one line per problem. */
  check(schema: JsonObject, value: JsonObject): string[];
  /** Requests of one call. */
  max_requests(pack: ServicePack): number;
  /** Bytes of one answer. */
  max_answer_bytes(pack: ServicePack): number;
}

/** What the kernel or a person decided about something that a pack asked for. */
export interface ServiceDecision {
  pack: string;
  call_id: string;
  tool: string;
  behavior: "allow" | "deny";
  by: "policy" | "user" | "headless";
  source: string;
  reason: string;
  rule?: string;
}

/** Answers the requests of packs. Rejects with a `ServiceError`. */
export type PackServices = (
  pack: ServicePack,
  call_id: string,
  request: PackRequest,
  signal?: AbortSignal,
) => Promise<Json>;
