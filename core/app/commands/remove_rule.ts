import type { KeepFor } from "../../cli/mod.ts";
import { editSetting, readPermissionFile, readSettingsFile } from "../../config/mod.ts";
import { isJsonObject } from "../../types/mod.ts";
import type { KeptRules } from "../kept_rules.ts";
import { projectRulesFile } from "../policy_layers.ts";
import type { SessionParts } from "../session_parts.ts";

/**
 * Takes a rule away where a person may have put it: this session, the project's own file, the user's settings; with
 * `keep` from that place alone. Gives the places that had it. Throws `config.invalid` or `config.unwritable`.
 */
export async function removeRule(
  { app_root, located }: Pick<SessionParts, "app_root" | "located">,
  kept: KeptRules,
  list: "allow" | "ask" | "deny",
  rule: string,
  keep: KeepFor | undefined,
): Promise<string[]> {
  const places: string[] = [];
  if ((keep ?? "session") === "session" && kept.forget(list, rule)) places.push("this session");
  const file = projectRulesFile(app_root, located.project);
  if ((keep ?? "project") === "project") {
    const index = (await readPermissionFile(file)).permissions[list].indexOf(rule);
    if (index >= 0) {
      await editSetting(file, [list, index], undefined);
      places.push(file);
    }
  }
  if ((keep ?? "user") === "user") {
    const settings = (await readSettingsFile(app_root.settingsFile))?.value["permissions"];
    const rules = isJsonObject(settings) ? settings[list] : undefined;
    const index = Array.isArray(rules) ? rules.indexOf(rule) : -1;
    if (index >= 0) {
      await editSetting(app_root.settingsFile, ["permissions", list, index], undefined);
      places.push(app_root.settingsFile);
    }
  }
  if (places.length > 0) kept.changed();
  return places;
}
