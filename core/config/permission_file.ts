import { nearest } from "../base/mod.ts";
import { type RuleLines, ruleLines } from "./rule_lines.ts";
import { NO_PERMISSIONS, PERMISSION_PARTS, type Permissions } from "./setting_schemas.ts";
import { checkValue } from "./setting_value.ts";
import { invalidSettings, readSettingsFile, settingLine } from "./settings_file.ts";

/** A permission file as it was read. */
export interface PermissionFile {
  readonly permissions: Permissions;
  readonly lines: RuleLines;
  /** Keys that are unknown and count for nothing, one line each with file and line. */
  readonly warnings: readonly string[];
}

/**
 * Reads the rules that "always in this project" wrote: `{ "allow": […], "ask": […], "deny": […] }` with comments
 * allowed; an absent file has none. Throws `config.invalid` (exit 2) with file and line.
 */
export async function readPermissionFile(path: string): Promise<PermissionFile> {
  const file = await readSettingsFile(path);
  if (file === undefined) return { permissions: NO_PERMISSIONS, lines: {}, warnings: [] };
  const checked = checkValue("permissions", file.value);
  if ("fault" in checked) {
    const line = await settingLine(file, checked.path);
    throw invalidSettings(`${path}:${line}: permissions ${checked.fault}`, { file: path, line });
  }
  const warnings: string[] = [];
  for (const key of Object.keys(file.value)) {
    if (key === "$schema" || PERMISSION_PARTS.includes(key)) continue;
    const near = nearest(key, PERMISSION_PARTS);
    const hint = near === undefined ? "" : `; did you mean "${near}"?`;
    warnings.push(`${path}:${await settingLine(file, [key])}: "${key}" is unknown and ignored${hint}`);
  }
  return { permissions: checked.value as Permissions, lines: await ruleLines(file, []), warnings };
}
