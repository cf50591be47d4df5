export { finishPackChange } from "./pack_change.ts";
export type { PackPlace } from "./pack_change.ts";
export type { FetchPorts } from "./fetch_pack.ts";
export { newRequests } from "./new_requests.ts";
export { readNpmConfig } from "./npm_config.ts";
export { PackInstaller } from "./pack_installer.ts";
export type { Consent, InstallOutcome, InstallQuestion, RemovalPlan } from "./pack_installer.ts";
