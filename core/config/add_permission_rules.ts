import { isJsonObject, type Json } from "../types/mod.ts";
import { editLocked } from "./edit_setting.ts";
import { withFolderLock } from "./folder_lock.ts";
import { readPermissionFile } from "./permission_file.ts";
import { readSettingsFile } from "./settings_file.ts";

/** A list of a permission file. */
export type PermissionList = "allow" | "ask" | "deny" | "additionalDirectories";

/**
 * Adds rules (or folders) to one list of a permission file; those that stand there already are left alone, as is everything
 * else in the file, also what another process adds at the same time. An absent file is made. Throws `config.invalid` or
 * `config.unwritable`.
 */
export async function addPermissionRules(
  file: string,
  list: PermissionList,
  rules: readonly string[],
): Promise<void> {
  await withFolderLock(file, async () => {
    await append(file, [list], (await readPermissionFile(file)).permissions[list], rules);
  });
}

/** The same in the `permissions` of a settings file. */
export async function addSettingsRules(
  file: string,
  list: PermissionList,
  rules: readonly string[],
): Promise<void> {
  await withFolderLock(file, async () => {
    const permissions = (await readSettingsFile(file))?.value["permissions"];
    const known = isJsonObject(permissions) ? permissions[list] : undefined;
    await append(file, ["permissions", list], Array.isArray(known) ? known : [], rules);
  });
}

async function append(
  file: string,
  path: readonly string[],
  known: readonly Json[],
  rules: readonly string[],
): Promise<void> {
  const added = [...new Set(rules)].filter((rule) => !known.includes(rule));
  if (known.length === 0 && added.length > 0) return await editLocked(file, path, added as Json);
  for (const [index, rule] of added.entries()) await editLocked(file, [...path, known.length + index], rule);
}
