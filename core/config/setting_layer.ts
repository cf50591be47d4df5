import { nearest } from "../base/mod.ts";
import {
  isSettingName,
  SETTING_NAMES,
  settingKey,
  type SettingName,
  settingVariables,
} from "./setting_keys.ts";
import { PERMISSION_PARTS, type Permissions } from "./setting_schemas.ts";
import { needsTrust, projectSettingHash } from "./project_settings.ts";
import { type CheckedValue, checkText, checkValue, readBoolean } from "./setting_value.ts";
import { invalidSettings, settingLine, type SettingsFile } from "./settings_file.ts";

/** Where a value came from, weakest first. */
export const LAYERS = ["default", "user", "settings_file", "project", "environment", "flag"] as const;
export type LayerName = (typeof LAYERS)[number];

/** One value with its origin. */
export interface LayerValue {
  readonly value: unknown;
  readonly layer: LayerName;
  /** File, variable or flag. */
  readonly origin: string;
  /** The file, for its line. */
  readonly file?: SettingsFile;
  /** Higher wins, also between different keys that mean the same thing. */
  readonly rank: number;
}

/** The values that one source sets. */
export type Layer = Map<SettingName, LayerValue>;

/** What a project's file may say of permissions: all of it takes something away. */
const REFUSING_PARTS = ["deny", "ask", "disableBypassPermissionsMode"];

/**
 * The layer of a settings file. Unknown keys and what a project's file may not set become warnings with file and line;
 * a wrong value throws `config.invalid`.
 */
export async function fileLayer(
  file: SettingsFile | undefined,
  layer: "user" | "settings_file" | "project",
  warnings: string[],
  trusted?: ReadonlyMap<string, string>,
): Promise<Layer> {
  const result: Layer = new Map();
  if (file === undefined) return result;
  for (const name of Object.keys(file.value)) {
    const value = file.value[name];
    if (name === "$schema" || value === null) continue;
    const place = async () => `${file.path}:${await settingLine(file, [name])}`;
    if (!isSettingName(name)) {
      const near = nearest(name, SETTING_NAMES);
      const hint = near === undefined ? "" : `; did you mean "${near}"?`;
      warnings.push(`${await place()}: unknown setting ${JSON.stringify(name)} is ignored${hint}`);
      continue;
    }
    if (layer === "project" && settingKey(name).project === "no") {
      warnings.push(`${await place()}: "${name}" is ignored: a project's file cannot set it`);
      continue;
    }
    if (isUnset(name, value)) continue;
    if (
      layer === "project" && trusted !== undefined && needsTrust(name) &&
      trusted.get(name) !== projectSettingHash(name, value)
    ) {
      warnings.push(
        `${await place()}: "${name}" is ignored: nobody has trusted this value yet (lumina trust shows it and asks)`,
      );
      continue;
    }
    let checked: CheckedValue = layer !== "project" && hasReference(name, value)
      ? { value } // checked when its variables are known, and only if it holds
      : checkValue(name, value);
    if ("fault" in checked) {
      const line = await settingLine(file, [name, ...checked.path]);
      throw invalidSettings(`${file.path}:${line}: "${name}" ${checked.fault}`, {
        file: file.path,
        line,
        key: name,
      });
    }
    if (name === "permissions") {
      await warnOfParts(file, value, layer, warnings);
      if (layer === "project") checked = { value: refusalsOnly(checked.value as Permissions) };
    }
    result.set(name, {
      value: checked.value,
      layer,
      origin: file.path,
      file,
      rank: rankOf(layer),
    });
  }
  return result;
}

/** The layer of the environment. A variable that is blank is not set; a wrong one throws `config.invalid`. */
export function environmentLayer(env: { get(name: string): string | undefined }): Layer {
  const result: Layer = new Map();
  for (const name of SETTING_NAMES) {
    const variables = settingVariables(name);
    for (const [index, variable] of variables.entries()) {
      const text = env.get(variable);
      if (text === undefined || text.trim() === "") continue;
      const checked = variable === "YOLO_MODE" ? checkYolo(text) : checkText(name, text);
      if ("fault" in checked) throw wrong(variable, name, checked.fault);
      const rank = rankOf("environment") + (variable.startsWith("LUMINA_") ? 9 : 8 - index);
      result.set(name, { value: checked.value, layer: "environment", origin: variable, rank });
      break;
    }
  }
  return result;
}

/** What flags set. Text is read as a variable's text is, so a command line can hand on what it was given. */
export function flagLayer(flags: Readonly<Record<string, unknown>>): Layer {
  const result: Layer = new Map();
  for (const name of SETTING_NAMES) {
    const value = flags[name];
    if (value === undefined) continue;
    const flag = settingKey(name).flag ?? `--${name.replaceAll("_", "-")}`;
    if (isUnset(name, value)) throw wrong(flag, name, `is empty, must be ${settingKey(name).must}`);
    const checked = typeof value === "string" ? checkText(name, value) : checkValue(name, value);
    if ("fault" in checked) throw wrong(flag, name, checked.fault);
    result.set(name, { value: checked.value, layer: "flag", origin: flag, rank: rankOf("flag") });
  }
  return result;
}

/** Layers are ten apart; inside the environment the variable's own strength counts. */
export function rankOf(layer: LayerName): number {
  return LAYERS.indexOf(layer) * 10;
}

async function warnOfParts(
  file: SettingsFile,
  value: unknown,
  layer: LayerName,
  warnings: string[],
): Promise<void> {
  if (typeof value !== "object" || value === null) return;
  for (const part of Object.keys(value)) {
    const known = PERMISSION_PARTS.includes(part);
    if (known && (layer !== "project" || REFUSING_PARTS.includes(part))) continue;
    const line = await settingLine(file, ["permissions", part]);
    const near = known ? undefined : nearest(part, PERMISSION_PARTS);
    const why = known
      ? `is ignored: a project's file may only add "deny" and "ask"`
      : `is unknown and ignored${near === undefined ? "" : `; did you mean "${near}"?`}`;
    warnings.push(`${file.path}:${line}: "permissions.${part}" ${why}`);
  }
}

/** A project's rules without what could widen anything. */
function refusalsOnly(given: Permissions): Permissions {
  const { ask, deny, disableBypassPermissionsMode: disabled } = given;
  return {
    ...{ allow: [], ask, deny, defaultMode: undefined, additionalDirectories: [] },
    ...(disabled === undefined ? {} : { disableBypassPermissionsMode: disabled }),
  };
}

/** Empty text and a local window of 0 stand for "not set". */
function isUnset(name: SettingName, value: unknown): boolean {
  const { kind, default: fallback } = settingKey(name);
  if (typeof value === "string") return value.trim() === "" && ["text", "command", "path"].includes(kind);
  return value === 0 && kind === "number" && fallback === undefined;
}

/** True for text with `${VAR}` in a key whose text is not a command. */
export function hasReference(name: SettingName, value: unknown): value is string {
  const { kind } = settingKey(name);
  return typeof value === "string" && (kind === "text" || kind === "path") && value.includes("${");
}

function checkYolo(text: string): CheckedValue {
  const on = readBoolean(text.trim());
  if (on === undefined) return { fault: `is ${JSON.stringify(text)}, must be true or false`, path: [] };
  return checkValue("permissions", on ? { defaultMode: "yolo" } : {});
}

function wrong(origin: string, name: SettingName, fault: string) {
  return invalidSettings(`${origin} ${fault}`, { key: name, origin });
}
