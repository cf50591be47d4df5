import { SETTING_NAMES, settingKey, type Settings } from "./setting_keys.ts";

/** Settings for printing: keys become `***`, and so do user and password inside a URL. Unset ones are left out. */
export function redactSettings(settings: Settings): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const value = settings[name];
    if (value === undefined) continue;
    if (settingKey(name).secret) result[name] = "***";
    else if (typeof value === "string") result[name] = value.replace(/^(\w+:\/\/)[^/?#]*@/, "$1***@");
    else result[name] = value;
  }
  return result;
}
