import type { AppRoot } from "../app_root/mod.ts";
import type { ListedRule, PermissionListing, RulesQuery } from "../cli/mod.ts";
import { readSettingsFile, settingLine } from "../config/mod.ts";
import type { RuleNote } from "../permission/mod.ts";
import { policyHere } from "./policy_here.ts";
import { rulesElsewhere } from "./rules_elsewhere.ts";
import { unknownRuleTools } from "./unknown_names.ts";

/** Every rule in force here and now, with where it stands and what is wrong with it. */
export async function listPermissions(
  flags: RulesQuery,
  app_root: AppRoot,
  home: string,
  root: URL,
): Promise<PermissionListing> {
  const { workspace, loaded, catalog, policy } = await policyHere(flags, app_root, home, root);
  const { rules, mode_from, yolo_disabled_by, directories, policy: { sandbox } } = policy.built;
  const told = new Set(rules.flatMap(({ problem }) => problem ?? []));
  return {
    mode: policy.mode,
    mode_from: mode_from === "given" ? "--permission-mode" : await withLine(mode_from),
    ...(yolo_disabled_by === undefined ? {} : { yolo_disabled_by }),
    managed_rules_only: loaded.managed?.allow_managed_rules_only ?? false,
    rules: rules.map(listedRule),
    directories: [{ path: workspace, from: "workspace" }, ...directories],
    sandbox: { ...sandbox },
    problems: [
      ...loaded.warnings,
      ...policy.warnings.filter((text) => !told.has(text)),
      ...unknownRuleTools(flags, catalog),
      ...await rulesElsewhere(workspace, rules),
    ].filter((text, at, all) => all.indexOf(text) === at),
  };
}

/** A rule as people are told about it. */
export function listedRule({ list, text, source, line, problem }: RuleNote): ListedRule {
  return {
    list,
    rule: text,
    scope: source.origin,
    ...(source.file === undefined ? {} : { file: source.file }),
    ...(line === undefined ? {} : { line }),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** `file:line` of the mode in a settings or permission file; anything else as it is. */
async function withLine(place: string): Promise<string> {
  const file = place.includes("/") ? await readSettingsFile(place) : undefined;
  if (file === undefined) return place;
  const path = file.value["defaultMode"] === undefined ? ["permissions", "defaultMode"] : ["defaultMode"];
  return `${place}:${await settingLine(file, path)}`;
}
