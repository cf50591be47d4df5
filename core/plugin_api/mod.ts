export { CAPABILITY_KINDS, emptyGrant } from "./capability.ts";
export type { CapabilityKind, Grant } from "./capability.ts";
export { pluginManifest, toolManifest } from "./manifest.ts";
export type { PluginManifest, ToolManifest } from "./manifest.ts";
export { RPC_VERSION } from "./rpc.ts";
export type { CallContext, HostMessage, WorkerMessage } from "./rpc.ts";
export type { PluginModule, ToolContext, ToolHandler, ToolOutcome } from "./tool.ts";
export type { Json, JsonObject } from "../types/mod.ts";
