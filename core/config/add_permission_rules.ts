import type { Json } from "../types/mod.ts";
import { editSetting } from "./edit_setting.ts";
import { readPermissionFile } from "./permission_file.ts";

/**
 * Adds rules to one list of a permission file; those that stand there already are left alone, as is everything else in
 * the file. An absent file is made. Throws `config.invalid` or `config.unwritable`.
 */
export async function addPermissionRules(
  file: string,
  list: "allow" | "ask" | "deny",
  rules: readonly string[],
): Promise<void> {
  const known = (await readPermissionFile(file)).permissions[list];
  const added = [...new Set(rules)].filter((rule) => !known.includes(rule));
  if (known.length === 0 && added.length > 0) return await editSetting(file, [list], added as Json);
  for (const [index, rule] of added.entries()) await editSetting(file, [list, known.length + index], rule);
}
