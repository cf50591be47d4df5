export { addPermissionRules, addSettingsRules } from "./add_permission_rules.ts";
export type { PermissionList } from "./add_permission_rules.ts";
export { assertSetting } from "./assert_setting.ts";
export { ApiKeys, KEY_HELPER_TIMEOUT_MS, keySetting } from "./api_keys.ts";
export type { ApiKeyPorts } from "./api_keys.ts";
export { childEnvironment } from "./child_environment.ts";
export type { LanguageServerSettings } from "./diagnostics_settings.ts";
export { editSetting } from "./edit_setting.ts";
export { addPermissions, loadSettings } from "./load_settings.ts";
export type {
  FlagSettings,
  HookSettings,
  LoadedSettings,
  LoadSettingsOptions,
  PermissionSource,
  SettingSource,
} from "./load_settings.ts";
export { managedPlace, readManagedSettings } from "./managed_settings.ts";
export type { ManagedPlace, ManagedSettings } from "./managed_settings.ts";
export { projectSettings, projectSettingsFile } from "./project_settings.ts";
export type { ProjectSetting } from "./project_settings.ts";
export { readPermissionFile } from "./permission_file.ts";
export type { PermissionFile } from "./permission_file.ts";
export type { RuleLines } from "./rule_lines.ts";
export { redactSettings } from "./redact_settings.ts";
export { SETTING_NAMES } from "./setting_keys.ts";
export type { SettingName, Settings } from "./setting_keys.ts";
export { isOwnKeyVariable, LOCKDOWN_MODES, NO_PERMISSIONS } from "./setting_schemas.ts";
export type { LockdownMode, Permissions } from "./setting_schemas.ts";
export { settingsDocs, settingsJsonSchema } from "./settings_schema.ts";
export { SettingsWatch } from "./settings_watch.ts";
export type { SettingsReload } from "./settings_watch.ts";
export { readSettingsFile, settingLine } from "./settings_file.ts";
export type { SettingsFile } from "./settings_file.ts";
