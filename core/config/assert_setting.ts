import { nearest } from "../base/mod.ts";
import type { Json } from "../types/mod.ts";
import { isSettingName, SETTING_NAMES } from "./setting_keys.ts";
import { checkValue } from "./setting_value.ts";
import { invalidSettings } from "./settings_file.ts";

/**
 * Checks a value that is about to be set at `path` (a key, then names inside it). Throws `config.invalid` (exit 2) with
 * the nearest key for an unknown one, or with what the value must be.
 */
export function assertSetting(path: readonly string[], value: Json): void {
  const [name = "", ...inside] = path;
  if (!isSettingName(name)) {
    const near = nearest(name, SETTING_NAMES);
    const hint = near === undefined ? "see lumina config docs" : `did you mean "${near}"?`;
    throw invalidSettings(`There is no setting "${name}"; ${hint}`, { key: name });
  }
  const whole = inside.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
  const checked = checkValue(name, whole);
  if ("fault" in checked) throw invalidSettings(`Cannot set "${name}": it ${checked.fault}`, { key: name });
}
