import { join } from "node:path";
import { canonicalJson, sha256 } from "../base/mod.ts";
import type { Json } from "../types/mod.ts";
import { isSettingName, settingKey, type SettingName } from "./setting_keys.ts";
import { readSettingsFile } from "./settings_file.ts";

/**
 * What a project's file may set unasked: keys that only take away (`permissions` adds refusals and questions alone), and
 * keys whose worst value is small: a slower model, a shorter or longer wait, a shorter text. Every other key that a
 * project may set counts once a person has looked at its value.
 */
const HARMLESS: ReadonlySet<SettingName> = new Set<SettingName>([
  "permissions",
  "disabled_tools",
  "disabled_plugins",
  "effort",
  "shell_timeout_seconds",
  "max_tool_result_chars",
  "project_doc_max_bytes",
]);

/** A value of a project's file that a person has to look at. */
export interface ProjectSetting {
  key: SettingName;
  value: Json;
  /** What an answer about it is bound to. */
  hash: string;
}

/** True for a key that a project may set, but not unasked. */
export function needsTrust(name: SettingName): boolean {
  return settingKey(name).project !== "no" && !HARMLESS.has(name);
}

/** The hash of one key with one value. */
export function projectSettingHash(key: string, value: unknown): string {
  return sha256(canonicalJson({ key, value: value as Json }));
}

/** The file that a project may bring. */
export function projectSettingsFile(project_dir: string): string {
  return join(project_dir, ".Lumina", "CONFIG", "defaults.json");
}

/** What a project's file sets beyond the harmless keys. Throws `config.invalid` when the file cannot be read. */
export async function projectSettings(project_dir: string): Promise<ProjectSetting[]> {
  const file = await readSettingsFile(projectSettingsFile(project_dir));
  if (file === undefined) return [];
  return Object.entries(file.value).flatMap(([key, value]) => {
    if (value === undefined || value === null || !isSettingName(key) || !needsTrust(key)) return [];
    return [{ key, value, hash: projectSettingHash(key, value) }];
  });
}
