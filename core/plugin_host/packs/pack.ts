import type { CapabilityRequest, PluginManifest } from "../../plugin_api/mod.ts";

/** Where a pack lies. In this order the first one of an id is used, so no repository replaces what a person installed. */
export const PACK_SCOPES = ["bundled", "user", "project"] as const;
export type PackScope = (typeof PACK_SCOPES)[number];

/** A plugin that was found, with what became of it. */
export interface Pack {
  id: string;
  scope: PackScope;
  /** Absolute path of the folder of its manifest. */
  directory: string;
  manifest: PluginManifest;
  /** What a person has granted; empty where nobody was asked yet. */
  grant: CapabilityRequest[];
  /** SHA-256 of each approved file by its path relative to the folder; empty of a bundled one. */
  files: Readonly<Record<string, string>>;
  /** True when its tools may run: granted, unchanged, switched on, of a trusted place and not shadowed. */
  enabled: boolean;
  /** The pack's own folder for what it keeps; made at its first call. */
  data_dir: string;
  version: string;
  /** Where a pack of the same id stands before it. */
  shadowed_by?: PackScope;
  /** Why it does not run, in one line. */
  problem?: string;
  /** True when a person has switched it off. */
  switched_off?: boolean;
}

/** Something that is wrong with a pack, in one line that names it. */
export interface PackProblem {
  pack: string;
  scope: PackScope;
  message: string;
}
