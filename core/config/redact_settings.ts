import { SETTING_NAMES, settingKey, type Settings } from "./setting_keys.ts";

/**
 * Settings for printing: keys become `***`, and so do user and password inside a URL and every text in a plugin's section.
 * Unset ones are left out.
 */
export function redactSettings(settings: Settings): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const value = settings[name];
    if (value === undefined) continue;
    if (settingKey(name).kind === "object") result[name] = withoutTexts(value);
    else if (settingKey(name).secret) result[name] = "***";
    else if (typeof value === "string") result[name] = value.replace(/^(\w+:\/\/)[^/?#]*@/, "$1***@");
    else result[name] = value;
  }
  return result;
}

/** Numbers and booleans stay; any text may be a key. */
function withoutTexts(value: unknown): unknown {
  if (typeof value === "string") return "***";
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutTexts(inner)]));
}
