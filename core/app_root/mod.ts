export { appRootPaths, LAYERS } from "./app_root_paths.ts";
export type { AppRootPaths } from "./app_root_paths.ts";
export { LAYOUT_VERSION, openAppRoot } from "./open_app_root.ts";
export type { AppRoot, OpenAppRootOptions } from "./open_app_root.ts";
export { makePrivateDirectory } from "./private_directory.ts";
export { projectIdentity, recordProject, startDirectory } from "./project_identity.ts";
export type { ProjectIdentity } from "./project_identity.ts";
export { homeDirectory, resolveAppRoot } from "./resolve_app_root.ts";
export type { EnvReader } from "./resolve_app_root.ts";
