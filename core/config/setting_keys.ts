import type * as z from "zod";
import { AGENT_SETTINGS } from "./agent_settings.ts";
import { COST_SETTINGS } from "./cost_settings.ts";
import { DIAGNOSTICS_SETTINGS } from "./diagnostics_settings.ts";
import { TELEMETRY_SETTINGS } from "./telemetry_settings.ts";
import { MODEL_SETTINGS } from "./model_settings.ts";
import { SAFETY_SETTINGS } from "./safety_settings.ts";
import { RUN_SETTINGS } from "./run_settings.ts";
import { SESSION_SETTINGS } from "./session_settings.ts";
import { PLUGIN_SETTINGS } from "./plugin_settings.ts";
import { TOOL_SETTINGS } from "./tool_settings.ts";
import { WEB_SETTINGS } from "./web_settings.ts";
import { SKILL_SETTINGS } from "./skill_settings.ts";
import type { SettingDefinition } from "./setting_definition.ts";

export type { ProjectRule } from "./setting_definition.ts";

/** All settings: one table for types, checks, defaults, precedence, documentation and JSON Schema. */
export const SETTING_KEYS = {
  ...MODEL_SETTINGS,
  ...SAFETY_SETTINGS,
  ...RUN_SETTINGS,
  ...SESSION_SETTINGS,
  ...PLUGIN_SETTINGS,
  ...AGENT_SETTINGS,
  ...SKILL_SETTINGS,
  ...WEB_SETTINGS,
  ...TOOL_SETTINGS,
  ...COST_SETTINGS,
  ...DIAGNOSTICS_SETTINGS,
  ...TELEMETRY_SETTINGS,
};

export type SettingName = keyof typeof SETTING_KEYS;
export const SETTING_NAMES = Object.keys(SETTING_KEYS) as SettingName[];

type Value<N extends SettingName> = (typeof SETTING_KEYS)[N] extends SettingDefinition<infer S, infer D>
  ? z.output<S> | (undefined extends D ? undefined : never)
  : never;

/** All settings after all sources; `undefined` = not set. */
export type Settings = { readonly [N in SettingName]: Value<N> };

/** A definition without its types, for code that treats all keys alike. */
export type SettingKey = SettingDefinition<z.ZodType, unknown>;

/** The definition of a key. */
export function settingKey(name: SettingName): SettingKey {
  return SETTING_KEYS[name];
}

/** True when `name` is a setting. */
export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTING_KEYS, name);
}

/** The variables that set a key, strongest first. */
export function settingVariables(name: SettingName): readonly string[] {
  return name === "permissions"
    ? SETTING_KEYS.permissions.env ?? []
    : [`LUMINA_${name.toUpperCase()}`, ...settingKey(name).env ?? []];
}
