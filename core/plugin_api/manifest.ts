import type { JsonObject } from "../types/mod.ts";
import type { CapabilityRequest } from "./capability.ts";
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
