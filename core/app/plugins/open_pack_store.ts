import { fileURLToPath } from "node:url";
import type { AppRootPaths, ProjectIdentity } from "../../app_root/mod.ts";
import { systemWorld } from "../../base/mod.ts";
import type { ToolCatalog } from "../../plugin_host/mod.ts";
import { finishPackChange } from "../../plugin_host/install/mod.ts";
import { PackStore } from "../../plugin_host/packs/mod.ts";
import { VERSION } from "../version.ts";
import { TrustFile } from "./trust_file.ts";

/** The packs beside the program's own plugins. `root` is the folder of the program's `plugins`. */
export function openPackStore(
  app_root: AppRootPaths,
  project: ProjectIdentity | undefined,
  bundled: ToolCatalog,
  root: URL,
): PackStore {
  try {
    finishPackChange(app_root.stateDir, systemWorld); // an installation that was cut off comes to its end first
  } catch {
    // the pack shows as changed then, and every command that installs or removes says why
  }
  return new PackStore({
    app_root,
    project,
    bundled: bundled.plugins,
    bundled_dir: fileURLToPath(new URL("plugins", root)),
    version: VERSION,
  });
}

/**
 * Whether a project may bring packs: not after `lumina trust --revoke`. Each of them has an approval of its own beside
 * that, bound to its bytes and kept outside of the project. Throws `trust.unreadable`.
 */
export function projectTrusted(app_root: AppRootPaths, project: ProjectIdentity): Promise<boolean> {
  return Promise.resolve(new TrustFile(app_root, project.id).read()?.decision !== "revoked");
}
