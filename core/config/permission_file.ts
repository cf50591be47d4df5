import { NO_PERMISSIONS, type Permissions } from "./setting_schemas.ts";
import { checkValue } from "./setting_value.ts";
import { invalidSettings, readSettingsFile, settingLine } from "./settings_file.ts";

/**
 * Reads the rules that "always in this project" wrote: `{ "allow": […], "ask": […], "deny": […] }` with comments
 * allowed; an absent file has none. Throws `config.invalid` (exit 2) with file and line.
 */
export async function readPermissionFile(path: string): Promise<Permissions> {
  const file = await readSettingsFile(path);
  if (file === undefined) return NO_PERMISSIONS;
  const checked = checkValue("permissions", file.value);
  if ("fault" in checked) {
    const line = await settingLine(file, checked.path);
    throw invalidSettings(`${path}:${line}: permissions ${checked.fault}`, { file: path, line });
  }
  return checked.value as Permissions;
}
