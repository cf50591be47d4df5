import type { HookEvent, JsonObject } from "../types/mod.ts";
export { HOOK_EVENTS } from "../types/mod.ts";
export type { HookEvent } from "../types/mod.ts";
import type { CapabilityKind } from "./capability.ts";
import type { ToolManifest } from "./tool_manifest.ts";

/** What a plugin brings, by kind. Names of handlers are exports of its module; paths are relative to the manifest. */
export interface Contributions {
  tools: ToolManifest[];
  mcp?: McpContribution;
  memory?: MemoryContribution;
  team?: TeamContribution;
  workflow?: WorkflowManifest;
  host?: HostContribution;
  /** Folders that hold a `SKILL.md`. */
  skills?: string[];
  /** Markdown files, each a slash command. */
  commands?: string[];
  hooks?: Partial<Record<HookEvent, HookMatcher[]>>;
}

/** MCP servers that come with the plugin. */
export interface McpContribution {
  servers: Record<string, McpServer>;
}
export type McpServer =
  | { type: "stdio"; command: string; args?: string[]; env?: Record<string, string>; timeout_ms?: number }
  | { type: "http" | "sse" | "ws"; url: string; headers?: Record<string, string>; timeout_ms?: number };

/** Where a plugin may take part in the memory fabric. */
export const MEMORY_HOOKS = ["compile", "resolve_conflict", "expand_query", "rerank", "redact"] as const;
export type MemoryHook = (typeof MEMORY_HOOKS)[number];

/** Parts of the memory fabric that the plugin's module does. */
export interface MemoryContribution {
  /** Handler by the stage that it stands for. */
  hooks: Partial<Record<MemoryHook, string>>;
}

/** Teams as data. */
export interface TeamContribution {
  /** Folders that hold a `team.yaml`. */
  teams: string[];
}

/** What an adapter of a host can do for the workflow engine. */
export const HOST_ACTIONS = [
  "discover",
  "create_top_level_task",
  "wait_tasks",
  "read_task",
  "send_message",
  "cancel_task",
] as const;
export type HostAction = (typeof HOST_ACTIONS)[number];

/** An adapter through which the workflow engine starts and watches lanes. */
export interface HostContribution {
  /** The name of the adapter: `--adapter NAME`. */
  name: string;
  /** Handler by action; `discover`, `create_top_level_task` and `read_task` are the least. */
  actions: Partial<Record<HostAction, string>>;
  /** The host's exact tool of a top-level task. */
  task_tool?: string;
}

/** The four hooks of a workflow pack. */
export const WORKFLOW_HOOKS = ["compile_goal", "enrich_context", "verifiers", "compose_result"] as const;
export type WorkflowHookName = (typeof WORKFLOW_HOOKS)[number];

export interface WorkflowHook {
  entrypoint: string;
  input_schema_ref: string;
  output_schema_ref: string;
  optional?: boolean;
}

/** A workflow pack, `pack-manifest/v1`. */
export interface WorkflowManifest {
  kind: "pack-manifest";
  schema_version: "1.0";
  protocol: "pack-manifest/v1";
  pack_id: string;
  version: string;
  api_version: 1;
  display_name: string;
  core_compatibility: { min: string; max: string };
  hooks: Record<WorkflowHookName, WorkflowHook>;
  contracts: { imports: string[]; exports: string[] };
  store_access: "core-api-only";
  capabilities: {
    id: string;
    kind: "tool" | "skill" | "plugin" | "mcp" | "host" | "workspace";
    required: boolean;
    permissions?: string[];
  }[];
  external_action_policy: "ask" | "deny" | "allow";
  dependencies?: { pack_ref: string; version_range: string }[];
  config_schema_ref?: string;
  source?: { kind: "repository" | "artifact" | "builtin"; ref: string; digest?: string };
  metadata?: JsonObject;
  created_at: string;
  extensions?: JsonObject;
}

/** One handler of an event. */
export interface HookMatcher {
  /** Which of the event's calls: `*`, names with `|`, or a regular expression; absent: all. */
  matcher?: string;
  /** The export of the plugin's module that is called. */
  handler: string;
  /** Which of the plugin's capabilities the hook uses; absent: none. */
  capabilities?: CapabilityKind[];
  /** Programs that it starts itself; `config.<name>_path` says where each was found. */
  programs?: string[];
  timeout_ms?: number;
}

/** How long a hook that names no time may take, milliseconds. */
export const HOOK_TIMEOUT_MS = 30_000;
