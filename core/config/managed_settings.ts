import { dirname } from "node:path";
import { nearest } from "../base/mod.ts";
import { isJsonObject, type Json } from "../types/mod.ts";
import { type RuleLines, ruleLines } from "./rule_lines.ts";
import { hookLists, NO_PERMISSIONS, PERMISSION_PARTS, type Permissions } from "./setting_schemas.ts";
import { checkValue } from "./setting_value.ts";
import { invalidSettings, readSettingsFile, settingLine, type SettingsFile } from "./settings_file.ts";

/** What whoever looks after the machine has decided for all its users. */
export interface ManagedSettings {
  readonly file: string;
  readonly permissions: Permissions;
  readonly lines: RuleLines;
  /** No rule but those of this file allows anything. */
  readonly allow_managed_rules_only: boolean;
  /** No hook but those of this file runs. */
  readonly allow_managed_hooks_only: boolean;
  readonly hooks: Readonly<Record<string, readonly Json[]>>;
  readonly warnings: readonly string[];
  /** Line of a part of the file. */
  line(path: readonly (string | number)[]): Promise<number>;
}

/** Where the managed file lies, and who must own it; for tests another place and owner. */
export interface ManagedPlace {
  readonly file: string;
  /** Id of the user that owns the file and its folder: 0, root. */
  readonly owner: number;
}

/** Keys, in our spelling and in Claude Code's. */
const SWITCHES = {
  allow_managed_rules_only: "allow_managed_rules_only",
  allowManagedPermissionRulesOnly: "allow_managed_rules_only",
  allow_managed_hooks_only: "allow_managed_hooks_only",
  allowManagedHooksOnly: "allow_managed_hooks_only",
} as const;
const KNOWN = ["$schema", "permissions", "hooks", ...Object.keys(SWITCHES)];

/** The managed file of this platform; undefined where there is none. */
export function managedPlace(os: typeof Deno.build.os): ManagedPlace | undefined {
  if (os === "darwin") {
    return { file: "/Library/Application Support/Lumina/managed-settings.json", owner: 0 };
  }
  return os === "windows" ? undefined : { file: "/etc/lumina/managed-settings.json", owner: 0 };
}

/**
 * Reads the managed file; undefined where there is none. Throws `config.invalid` (exit 2) for one that cannot be read or that
 * others than its owner may change, since it may then say what anyone wanted: nothing runs until that is put right.
 */
export async function readManagedSettings(place: ManagedPlace): Promise<ManagedSettings | undefined> {
  const path = place.file;
  const file = await readSettingsFile(path);
  if (file === undefined) return undefined;
  await assertOwned(place);
  const warnings: string[] = [];
  const switches = { allow_managed_rules_only: false, allow_managed_hooks_only: false };
  for (const [key, value] of Object.entries(file.value)) {
    const fault = async (what: string) =>
      `${path}:${await settingLine(file, [key])}: ${JSON.stringify(key)} ${what}`;
    if (Object.hasOwn(SWITCHES, key)) {
      if (typeof value !== "boolean") {
        throw invalidSettings(await fault("must be true or false"), { file: path });
      }
      switches[SWITCHES[key as keyof typeof SWITCHES]] ||= value;
    } else if (!KNOWN.includes(key)) {
      const near = nearest(key, KNOWN);
      warnings.push(
        await fault(
          `is unknown and ignored${near === undefined ? "" : `; did you mean ${JSON.stringify(near)}?`}`,
        ),
      );
    }
  }
  return {
    file: path,
    permissions: await permissionsOf(file, warnings),
    lines: await ruleLines(file, ["permissions"]),
    hooks: await hooksOf(file),
    ...switches,
    warnings,
    line: (at) => settingLine(file, at),
  };
}

async function permissionsOf(file: SettingsFile, warnings: string[]): Promise<Permissions> {
  const value = file.value["permissions"];
  if (value === undefined || value === null) return NO_PERMISSIONS;
  const checked = checkValue("permissions", value);
  if ("fault" in checked) {
    const line = await settingLine(file, ["permissions", ...checked.path]);
    throw invalidSettings(`${file.path}:${line}: "permissions" ${checked.fault}`, { file: file.path, line });
  }
  for (const part of isJsonObject(value) ? Object.keys(value) : []) {
    if (PERMISSION_PARTS.includes(part)) continue;
    const line = await settingLine(file, ["permissions", part]);
    warnings.push(`${file.path}:${line}: "permissions.${part}" is unknown and ignored`);
  }
  return checked.value as Permissions;
}

async function hooksOf(file: SettingsFile): Promise<ManagedSettings["hooks"]> {
  const value = file.value["hooks"];
  if (value === undefined || value === null) return {};
  const checked = hookLists().safeParse(value);
  if (checked.success) return checked.data;
  const line = await settingLine(file, ["hooks"]);
  throw invalidSettings(
    `${file.path}:${line}: "hooks" must be an object with one list of {matcher, hooks} for each event`,
    { file: file.path, line },
  );
}

/** The file and the folders that name it are the owner's, and nobody else may write them. */
async function assertOwned({ file, owner }: ManagedPlace): Promise<void> {
  const real = await Deno.realPath(file);
  for (const path of new Set([file, dirname(file), real, dirname(real)])) {
    const { mode, uid } = await Deno.stat(path);
    const others = mode === null ? 0 : mode & 0o022;
    if (uid === owner && others === 0) continue;
    const why = uid === owner
      ? `others than its owner may change it (mode ${(mode! & 0o777).toString(8)})`
      : `it belongs to user ${uid}`;
    throw invalidSettings(
      `The managed settings cannot be trusted: of ${path}, ${why}; make it root's alone (chown root and chmod go-w ${path})`,
      { file: path },
    );
  }
}
