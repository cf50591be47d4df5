export { attemptChecks } from "./check.ts";
export type { Attempt, Check } from "./check.ts";
export { checkAppRoot, checkModes } from "./check_app_root.ts";
export { checkNamespaces, namespaceFacts } from "./check_namespaces.ts";
export type { NamespaceFacts } from "./check_namespaces.ts";
export { checkPrograms } from "./check_programs.ts";
export { checkSettings } from "./check_settings.ts";
export type { SettingsPlace } from "./check_settings.ts";
