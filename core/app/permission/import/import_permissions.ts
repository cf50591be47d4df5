import { dirname } from "node:path";
import { projectIdentity } from "../../../app_root/mod.ts";
import type { AppRoot } from "../../../app_root/mod.ts";
import { errorMessage, LuminaError } from "../../../base/mod.ts";
import type { ImportChange, ImportedRuleFile, ImportEntry, PermissionImportPort } from "../../../cli/mod.ts";
import { addPermissionRules, addSettingsRules, editSetting } from "../../../config/mod.ts";
import { isJsonObject, parsePermissionMode, PERMISSION_MODES } from "../../../types/mod.ts";
import type { JsonObject, PermissionMode } from "../../../types/mod.ts";
import { projectRulesFile } from "../../policy_layers.ts";
import { findRuleFiles } from "./find_rule_files.ts";
import type { FoundRuleFile } from "./find_rule_files.ts";
import { brokenFile, readJsonRules } from "./json_rule_file.ts";
import { translateClaude } from "./translate_claude.ts";
import { translateCodexConfig } from "./translate_codex_config.ts";
import { translateCodexRules } from "./translate_codex_rules.ts";
import { translateOpencode } from "./translate_opencode.ts";

/** Larger files are no rules. */
const MOST_BYTES = 1_048_576;

/** What taking over rules needs. */
export interface ImportOptions {
  app_root: AppRoot;
  home: string;
  /** True for a tool that there is here. */
  known(tool: string): boolean;
}

/** The rules of other agents as ours; nothing is written before it is asked for. */
export function permissionImport(options: ImportOptions): PermissionImportPort {
  return {
    async read(path, { from, user }) {
      const problems: string[] = [];
      const files: ImportedRuleFile[] = [];
      for (const found of findRuleFiles(path, from, options.home)) {
        const { project, ...rest } = found;
        try {
          files.push(await readOne(user || project === undefined ? rest : found, options));
        } catch (error) {
          if (!(error instanceof LuminaError) || error.code !== "permission.import") throw error;
          problems.push(error.message);
        }
      }
      return { files, changes: await changesOf(files, options.app_root), problems, written: false };
    },
    async write(found) {
      if (found.problems.length > 0) {
        throw new LuminaError(
          "permission.import",
          "Nothing was written: a rule that cannot be read may be a refusal",
        );
      }
      for (const change of found.changes) if (!change.known) await addTo(change, options.app_root);
      found.written = true;
    },
  };
}

async function readOne(found: FoundRuleFile, options: ImportOptions): Promise<ImportedRuleFile> {
  const { file, dialect, project: folder } = found;
  const { app_root, home, known } = options;
  const text = readText(file);
  const project = folder === undefined ? undefined : projectIdentity(folder);
  const entries: ImportEntry[] = dialect === "codex"
    ? file.endsWith(".toml")
      ? await translateCodexConfig(text, { file, base_dir: folder ?? dirname(file), home })
      : translateCodexRules(text, file)
    : dialect === "opencode"
    ? translateOpencode(await readJsonRules(text, file), home)
    : translateClaude(await readJsonRules(text, file), {
      base_dir: project?.root ?? dirname(file),
      home,
      our_base_dir: project?.root ?? app_root.configDir,
      known,
      ...(project === undefined ? { our_settings: app_root.settingsFile } : {}),
    });
  return {
    file,
    dialect,
    scope: project === undefined ? "user" : "project",
    target: project === undefined ? app_root.settingsFile : projectRulesFile(app_root, project),
    entries,
  };
}

function readText(file: string): string {
  let bytes: Uint8Array;
  try {
    if (Deno.statSync(file).size > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES} bytes`);
    bytes = Deno.readFileSync(file);
  } catch (error) {
    throw brokenFile(file, 1, `the file cannot be read: ${errorMessage(error)}`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw brokenFile(file, 1, "the file is not UTF-8 text");
  }
}

/** What our files would gain: refusals first, and a mode only where it is stricter than the one in force. */
async function changesOf(files: readonly ImportedRuleFile[], app_root: AppRoot): Promise<ImportChange[]> {
  const changes = new Map<string, ImportChange>();
  const held = new Map<string, JsonObject>();
  for (const { target } of files) held.set(target, held.get(target) ?? await permissionsIn(target, app_root));
  const add = (target: string, key: ImportChange["key"], value: string) => {
    const there = held.get(target)?.[key];
    const known = Array.isArray(there) ? there.includes(value) : there === value;
    changes.set(`${target}\0${key}\0${value}`, { target, key, value, known });
  };
  for (const list of ["deny", "ask", "allow"] as const) {
    for (const { target, entries } of files) {
      for (const rule of entries.flatMap(({ rules }) => rules)) {
        if (rule.list === list) add(target, list, rule.rule);
      }
    }
  }
  for (const { target, entries } of files) {
    for (const folder of entries.flatMap(({ directories }) => directories ?? [])) {
      add(target, "additionalDirectories", folder);
    }
  }
  for (const { target, entries } of files) {
    const stated = held.get(target)?.["defaultMode"];
    let mode = (typeof stated === "string" ? parsePermissionMode(stated) : undefined) ?? "ask";
    const before = mode;
    for (const entry of entries) {
      if (entry.mode !== undefined && rank(entry.mode) < rank(mode)) mode = entry.mode;
    }
    if (mode !== before) add(target, "defaultMode", mode);
    if (entries.some((entry) => entry.no_yolo)) add(target, "disableBypassPermissionsMode", "disable");
  }
  return [...changes.values()];
}

function rank(mode: PermissionMode): number {
  return PERMISSION_MODES.indexOf(mode);
}

/** The permissions of one of our files; empty where there is no file. Throws `permission.import` for a broken one. */
async function permissionsIn(target: string, app_root: AppRoot): Promise<JsonObject> {
  let text: string;
  try {
    text = await Deno.readTextFile(target);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw error;
  }
  if (text.trim() === "") return {};
  const { value } = await readJsonRules(text, target);
  const permissions = target === app_root.settingsFile ? value["permissions"] : value;
  return isJsonObject(permissions) ? permissions : {};
}

async function addTo({ target, key, value }: ImportChange, app_root: AppRoot): Promise<void> {
  const path = target === app_root.settingsFile ? ["permissions", key] : [key];
  if (key === "defaultMode" || key === "disableBypassPermissionsMode") {
    return await editSetting(target, path, value);
  }
  if (target === app_root.settingsFile) await addSettingsRules(target, key, [value]);
  else await addPermissionRules(target, key, [value]);
}
