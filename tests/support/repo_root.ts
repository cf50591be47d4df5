import { fileURLToPath } from "node:url";

/** The checkout, as an absolute path without a trailing slash. */
export const REPO_ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
