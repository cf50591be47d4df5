import { dirname, isAbsolute, join } from "node:path";
import type { Json } from "../types/mod.ts";
import { SETTING_NAMES, settingKey, type SettingName, type Settings } from "./setting_keys.ts";
import { NO_PERMISSIONS, type Permissions } from "./setting_schemas.ts";
import {
  environmentLayer,
  fileLayer,
  flagLayer,
  hasReference,
  type Layer,
  type LayerName,
  type LayerValue,
  rankOf,
} from "./setting_layer.ts";
import {
  type ManagedPlace,
  managedPlace,
  type ManagedSettings,
  readManagedSettings,
} from "./managed_settings.ts";
import { type RuleLines, ruleLines } from "./rule_lines.ts";
import { projectSettingsFile } from "./project_settings.ts";
import { checkValue } from "./setting_value.ts";
import { invalidSettings, readSettingsFile, settingLine } from "./settings_file.ts";

/** What flags may set: values, or the text of the command line. */
export type FlagSettings =
  & {
    readonly [N in Exclude<SettingName, "permissions">]?: Settings[N] | string;
  }
  & { readonly permissions?: Partial<Permissions> };

export interface LoadSettingsOptions {
  /** Only where the user's file is; an opened app root fits. */
  app_root: { readonly settingsFile: string };
  /** What `--settings` named; it must exist. */
  settings_file?: string;
  /** The start directory, whose `.Lumina/CONFIG/defaults.json` may set a few keys; absent = no project file counts. */
  project_dir?: string;
  /**
   * Hashes (`projectSettingHash`) of what a person has looked at, by key: anything else that the project's file sets
   * beyond the harmless keys is left out with a warning. Absent: nothing is left out.
   */
  project_trusted?: ReadonlyMap<string, string>;
  env: { get(name: string): string | undefined };
  /** For `~/` in paths. */
  home: string;
  flags?: FlagSettings;
  /** Where the managed file lies; absent = the place of this platform. */
  managed?: ManagedPlace;
}

/** Where one setting came from. */
export interface SettingSource {
  readonly layer: LayerName;
  /** Path of the file, name of the variable or of the flag; "" for a default. */
  readonly origin: string;
  /** Higher wins, also between keys that stand for each other such as `api_key` and `api_key_file`. */
  readonly rank: number;
}

/** The rules of one source, so that a verdict can say where its rule stands. */
export interface PermissionSource extends Permissions {
  readonly layer: LayerName;
  readonly origin: string;
  /** Lines of the rules, where the source is a file. */
  readonly lines: RuleLines;
}

/** The hooks of one source, as it has them. */
export interface HookSettings {
  readonly value: Settings["hooks"];
  readonly layer: LayerName;
  readonly origin: string;
  /** Line of a part of the value; undefined where the source is no file. */
  line(path: readonly (string | number)[]): Promise<number | undefined>;
}

/** One consistent set of settings. */
export interface LoadedSettings {
  readonly settings: Settings;
  readonly sources: Readonly<Record<SettingName, SettingSource>>;
  /** Weakest first; `settings.permissions` is all of them together. */
  readonly permission_sources: readonly PermissionSource[];
  /** What whoever looks after the machine has decided; absent where there is no such file. */
  readonly managed?: ManagedSettings;
  /** Hooks by the source that has them, weakest first; `settings.hooks` is all of them together. */
  readonly hook_sources: readonly HookSettings[];
  /** What was ignored, one line each with file and line. */
  readonly warnings: readonly string[];
  /** Where a setting came from, for people: `file:line`, a variable, a flag, or "default". */
  where(name: SettingName): Promise<string>;
}

/** The files that settings come from, weakest first; undefined where there is none. */
export function settingsFiles(options: LoadSettingsOptions): readonly (string | undefined)[] {
  const { project_dir } = options;
  return [
    options.app_root.settingsFile,
    options.settings_file,
    project_dir === undefined ? undefined : projectSettingsFile(project_dir),
  ];
}

/** The managed file that these options mean. */
export function managedPlaceOf({ managed }: LoadSettingsOptions): ManagedPlace | undefined {
  return managed ?? managedPlace(Deno.build.os);
}

/**
 * Reads all sources, weakest first: defaults, the user's file, the `--settings` file, the project's file, environment,
 * flags. `${VAR}` in the user's own text values is replaced when the value is the one that holds. Throws
 * `config.invalid` (exit 2), which names file and line, variable or flag, the value's fault and what is allowed.
 */
export async function loadSettings(options: LoadSettingsOptions): Promise<LoadedSettings> {
  const files = settingsFiles(options);
  const managed_place = managedPlaceOf(options);
  const [managed, user, given, project] = await Promise.all(
    [
      managed_place === undefined ? undefined : readManagedSettings(managed_place),
      ...files.map((file) => file === undefined ? undefined : readSettingsFile(file)),
    ] as const,
  );
  if (options.settings_file !== undefined && given === undefined) {
    throw invalidSettings(`The settings file ${options.settings_file} of --settings does not exist`, {
      file: options.settings_file,
    });
  }
  const warnings: string[] = [...managed?.warnings ?? []];
  const layers = [
    await fileLayer(user, "user", warnings),
    await fileLayer(given, "settings_file", warnings),
    await fileLayer(project, "project", warnings, options.project_trusted),
    environmentLayer(options.env),
    flagLayer(options.flags ?? {}),
  ];
  const settings: Record<string, unknown> = {};
  const sources: Record<string, SettingSource> = {};
  const holders = new Map<SettingName, LayerValue>();
  for (const name of SETTING_NAMES) {
    const held = combine(name, layers);
    if (held === undefined) {
      settings[name] = settingKey(name).default;
      sources[name] = { layer: "default", origin: "", rank: rankOf("default") };
    } else {
      holders.set(name, held);
      settings[name] = await finish(name, held, options);
      sources[name] = { layer: held.layer, origin: held.origin, rank: held.rank };
    }
  }
  return {
    settings: settings as Settings,
    sources: sources as Record<SettingName, SettingSource>,
    permission_sources: await permissionSources(layers),
    ...(managed === undefined ? {} : { managed }),
    hook_sources: hookSources(layers),
    warnings,
    async where(name) {
      const held = holders.get(name);
      if (held === undefined) return "default";
      return held.file === undefined ? held.origin : `${held.origin}:${await settingLine(held.file, [name])}`;
    },
  };
}

/** The value that holds: the strongest, or for lists that add up all of them with the strongest origin. */
function combine(name: SettingName, layers: readonly Layer[]): LayerValue | undefined {
  const values = layers.flatMap((layer) => layer.get(name) ?? []);
  const strongest = values.at(-1);
  const { project, adds = project === "add" } = settingKey(name);
  if (strongest === undefined || values.length === 1) return strongest;
  if (name === "hooks") return { ...strongest, value: joinHooks(values) };
  if (!adds) return strongest;
  if (name !== "permissions") {
    const all = values.flatMap((value) => value.value as string[]);
    return { ...strongest, value: [...new Set(all)] };
  }
  let sum = NO_PERMISSIONS;
  for (const { value } of values) sum = addPermissions(sum, value as Permissions);
  return { ...strongest, value: sum };
}

/** The lists of all sources, event by event. */
function joinHooks(values: readonly LayerValue[]): Settings["hooks"] {
  const sum: Record<string, Json[]> = {};
  for (const { value } of values) {
    for (const [event, list] of Object.entries(value as Settings["hooks"])) {
      sum[event] = [...sum[event] ?? [], ...list];
    }
  }
  return sum;
}

function hookSources(layers: readonly Layer[]): HookSettings[] {
  return layers.flatMap((layer) => {
    const held = layer.get("hooks");
    if (held === undefined) return [];
    const { value, origin, file } = held;
    return [{
      value: value as Settings["hooks"],
      layer: held.layer,
      origin,
      line: async (path) => file === undefined ? undefined : await settingLine(file, ["hooks", ...path]),
    }];
  });
}

/** The rules of both; the mode of `b` where it has one. */
export function addPermissions(a: Permissions, b: Permissions): Permissions {
  return {
    allow: [...a.allow, ...b.allow],
    ask: [...a.ask, ...b.ask],
    deny: [...a.deny, ...b.deny],
    defaultMode: b.defaultMode ?? a.defaultMode,
    additionalDirectories: [...a.additionalDirectories, ...b.additionalDirectories],
    ...((a.disableBypassPermissionsMode ?? b.disableBypassPermissionsMode) === undefined
      ? {}
      : { disableBypassPermissionsMode: "disable" }),
  };
}

async function permissionSources(layers: readonly Layer[]): Promise<PermissionSource[]> {
  const sources: PermissionSource[] = [];
  for (const layer of layers) {
    const held = layer.get("permissions");
    if (held === undefined) continue;
    const lines = held.file === undefined ? {} : await ruleLines(held.file, ["permissions"]);
    sources.push({ ...(held.value as Permissions), layer: held.layer, origin: held.origin, lines });
  }
  return sources;
}

/** Replaces `${VAR}` in the user's own files, and makes paths absolute: `~/`, then beside the file that names them. */
async function finish(name: SettingName, held: LayerValue, options: LoadSettingsOptions): Promise<unknown> {
  let value = held.value;
  if (held.file !== undefined && held.layer !== "project" && hasReference(name, value)) {
    let missing: string | undefined;
    const full = value.replace(
      /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
      (_, variable: string, fallback?: string) => {
        const found = options.env.get(variable) || fallback;
        if (found === undefined) missing ??= variable;
        return found ?? "";
      },
    );
    const checked = missing === undefined
      ? checkValue(name, full)
      : { fault: `refers to \${${missing}}, which is not set`, path: [] };
    if ("fault" in checked) {
      const line = await settingLine(held.file, [name]);
      throw invalidSettings(`${held.origin}:${line}: "${name}" ${checked.fault}`, {
        file: held.origin,
        line,
        key: name,
      });
    }
    value = checked.value;
  }
  if (settingKey(name).kind !== "path" || typeof value !== "string") return value;
  if (/^~[/\\]/.test(value)) return join(options.home, value.slice(2));
  return held.file === undefined || isAbsolute(value) ? value : join(dirname(held.origin), value);
}
