import { dirname, join, resolve } from "node:path";
import type { AppRoot, ProjectIdentity } from "../app_root/mod.ts";
import { EXIT, LuminaError } from "../base/mod.ts";
import type { RulesQuery } from "../cli/mod.ts";
import { readPermissionFile } from "../config/mod.ts";
import type { LoadedSettings, ManagedSettings, Permissions, PermissionSource } from "../config/mod.ts";
import { splitRuleList } from "../permission/mod.ts";
import type { RuleLayer, RuleScope } from "../permission/mod.ts";
import type { ToolCatalog } from "../plugin_host/mod.ts";
import type { PermissionMode } from "../types/mod.ts";

/** Where rules may stand. */
export interface PolicyPlaces {
  loaded: LoadedSettings;
  flags: RulesQuery;
  app_root: AppRoot;
  project: ProjectIdentity;
  /** What a person decided on while the session runs. */
  kept: RuleLayer;
}

/**
 * The rules of all places, strongest first: managed, session, flags and variables, the `--settings` file, the project's own
 * file in the app root, the user's settings, the repository. Throws `permission.rule` for a list of the command line that
 * cannot be taken apart, `config.invalid` for the project's file.
 */
export async function policyLayers(
  { loaded, flags, app_root, project, kept }: PolicyPlaces,
): Promise<{ layers: RuleLayer[]; warnings: string[] }> {
  const from = (layer: PermissionSource["layer"]) =>
    loaded.permission_sources.filter((source) => source.layer === layer).reverse();
  const own = await projectLayer(app_root, project);
  const layers = [
    ...(loaded.managed === undefined ? [] : [managedLayer(loaded.managed, project)]),
    kept,
    flagLayer(flags, project.root),
    ...[...from("flag"), ...from("environment")].map((source) => settingsLayer("flag", source, project.root)),
    ...from("settings_file").map((source) =>
      settingsLayer("local", source, dirname(resolve(project.root, source.origin)))
    ),
    own.layer,
    ...from("user").map((source) => settingsLayer("user", source, app_root.configDir)),
    ...from("project").map((source) => settingsLayer("repo", source, project.root)),
  ];
  return { layers, warnings: [...own.warnings] };
}

/** Throws `permission.mode` for a mode that the settings or the project's own file take away. */
export async function assertMode(
  mode: PermissionMode,
  { loaded: { managed, permission_sources }, app_root, project }: Omit<PolicyPlaces, "flags" | "kept">,
): Promise<void> {
  if (mode !== "yolo") return;
  const own = (await projectLayer(app_root, project)).layer;
  const place = managed?.permissions.disableBypassPermissionsMode !== undefined
    ? managed.file
    : own.disableBypassPermissionsMode !== undefined
    ? own.source.file
    : permission_sources.find(({ disableBypassPermissionsMode: off }) => off !== undefined)?.origin;
  if (place === undefined) return;
  throw new LuminaError(
    "permission.mode",
    `Mode yolo is disabled by disableBypassPermissionsMode in ${place}; choose another mode`,
    { exit: EXIT.usage },
  );
}

/** The file that "always in this project" writes. */
export function projectRulesFile(app_root: AppRoot, project: ProjectIdentity): string {
  return join(app_root.projectDir(project.id), "permissions.json");
}

function managedLayer({ file, permissions, lines }: ManagedSettings, project: ProjectIdentity): RuleLayer {
  // `/path` beside the managed file would name nothing: it is taken as a place in whatever workspace this is
  return { source: { origin: "managed", file, base_dir: project.root }, ...parts(permissions), lines };
}

function flagLayer(flags: RulesQuery, base_dir: string): RuleLayer {
  return {
    source: { origin: "flag", base_dir },
    allow: flags.allowed_tools.flatMap(splitRuleList),
    deny: flags.disallowed_tools.flatMap(splitRuleList),
  };
}

async function projectLayer(
  app_root: AppRoot,
  project: ProjectIdentity,
): Promise<{ layer: RuleLayer; warnings: readonly string[] }> {
  const file = projectRulesFile(app_root, project);
  const { permissions, lines, warnings } = await readPermissionFile(file);
  const source = { origin: "project" as const, file, base_dir: project.root };
  return { layer: { source, ...parts(permissions), lines }, warnings };
}

function settingsLayer(origin: RuleScope, source: PermissionSource, base_dir: string): RuleLayer {
  return { source: { origin, file: source.origin, base_dir }, ...parts(source), lines: source.lines };
}

function parts(permissions: Permissions): Omit<RuleLayer, "source"> {
  const { allow, ask, deny, defaultMode, additionalDirectories, disableBypassPermissionsMode } = permissions;
  return {
    allow,
    ask,
    deny,
    additionalDirectories,
    ...(defaultMode === undefined ? {} : { defaultMode }),
    ...(disableBypassPermissionsMode === undefined ? {} : { disableBypassPermissionsMode }),
  };
}

/** Names and aliases of all tools. */
export function toolNames({ tools }: ToolCatalog): string[] {
  return tools.flatMap(({ name, aliases }) => [name, ...aliases]);
}
