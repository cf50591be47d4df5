import type { JsonObject, RepeatClass, ToolEffect, ToolSubject } from "../types/mod.ts";
import type { CapabilityKind, CapabilityRequest } from "./capability.ts";
import type { Contributions } from "./contributions.ts";
import type { PackLimits } from "./limits.ts";

/** The version of the contract between Lumina and its plugins. */
export const PLUGIN_API = 1;

/** What a plugin can be. */
export const PLUGIN_KINDS = [
  "tools",
  "mcp",
  "memory",
  "team",
  "workflow",
  "host",
  "skills",
  "commands",
  "hooks",
] as const;
export type PluginKind = (typeof PLUGIN_KINDS)[number];

/** One tool of a plugin, as `manifest.json` describes it. */
export interface ToolManifest {
  name: string;
  /** Other names the model, rules and old files may use. */
  aliases: string[];
  /** What the model reads. */
  description: string;
  /** JSON Schema 2020-12 of the input, root type object. */
  input_schema: JsonObject;
  effect: ToolEffect;
  subject: ToolSubject;
  /** Capabilities of the worker that runs it. */
  capabilities: CapabilityKind[];
  /**
   * Names of programs that the tool itself may start, found by the host on the PATH outside the workspace. Its worker may
   * run those that were found, and is told where each is: `config.<name>_path`.
   */
  programs: string[];
  /** True when calls of one turn may run side by side. */
  parallel: boolean;
  /** What a crash between intent and outcome means. */
  repeat: RepeatClass;
  /** Hard limit of one call, milliseconds; a tool with a shorter limit of its own keeps it. */
  timeout_ms: number;
}

/** `manifest.json` of a plugin. */
export interface PluginManifest {
  id: string;
  version: string;
  api: 1;
  title: string;
  description?: string;
  kinds: PluginKind[];
  /** One JavaScript module, relative to the manifest. */
  entry?: string;
  capabilities: CapabilityRequest[];
  /** JSON Schema of the pack's own section of the settings, `plugins.<id>`. */
  config?: JsonObject;
  /** Where the pack itself wants less than the host would allow. */
  limits?: Partial<PackLimits>;
  /** SHA-256 by path relative to the manifest; written by `lumina plugin build`. */
  integrity?: Record<string, string>;
  contributes: Contributions;
}
