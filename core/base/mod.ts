export { syncDirectory, writeFileAtomic } from "./atomic_file.ts";
export { canonicalJson } from "./canonical_json.ts";
export { errorMessage, EXIT, LuminaError } from "./errors.ts";
export type { ExitCode, LuminaErrorOptions, Retry } from "./errors.ts";
export { hasherFor, loadNativeHash, sha256 } from "./hash.ts";
export type { Hasher } from "./hash.ts";
export { nearest } from "./nearest.ts";
export { systemWorld } from "./world.ts";
export type { World } from "./world.ts";
