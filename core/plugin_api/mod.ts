export { CAPABILITY_KINDS, emptyGrant, requestKind } from "./capability.ts";
export type { CapabilityKind, CapabilityRequest, Grant } from "./capability.ts";
export { DEFAULT_LIMITS } from "./limits.ts";
export type { PackLimits } from "./limits.ts";
export { HOOK_EVENTS, HOOK_TIMEOUT_MS, HOST_ACTIONS, MEMORY_HOOKS, WORKFLOW_HOOKS } from "./contributions.ts";
export type {
  Contributions,
  HookEvent,
  HookMatcher,
  HostAction,
  HostContribution,
  McpContribution,
  McpServer,
  MemoryContribution,
  MemoryHook,
  TeamContribution,
  WorkflowHook,
  WorkflowHookName,
  WorkflowManifest,
} from "./contributions.ts";
export { PLUGIN_API, PLUGIN_KINDS } from "./manifest.ts";
export type { PluginKind, PluginManifest } from "./manifest.ts";
export type { ToolManifest } from "./tool_manifest.ts";
export type { HookContext, HookHandler, HookOutput } from "./hook.ts";
export { API_VERSION, CREDIT_BYTES, RPC_VERSION } from "./rpc.ts";
export type { CallContext, HostMessage, WorkerMessage } from "./rpc.ts";
export { byteLength } from "./credit.ts";
export { serviceClient, ServiceError } from "./service_client.ts";
export type { ServiceRequest } from "./service_client.ts";
export { servePlugins } from "./serve.ts";
export { withoutHost } from "./without_host.ts";
export type { ServedPlugin, WorkerScope } from "./serve.ts";
export { SERVICE_NAMES } from "./services.ts";
export type { PluginServices, ServiceName } from "./services.ts";
export type { PluginModule, ToolContext, ToolHandler, ToolOutcome } from "./tool.ts";
export { isJsonObject } from "../types/mod.ts";
export type { Confinement, ConfinementLevel, ImageType, Json, JsonObject, MediaBlock } from "../types/mod.ts";
