import { fileURLToPath } from "node:url";
import type { AppRootPaths, ProjectIdentity } from "../../app_root/mod.ts";
import type { ToolCatalog } from "../../plugin_host/mod.ts";
import { PackStore } from "../../plugin_host/packs/mod.ts";
import { VERSION } from "../version.ts";

/** The packs beside the program's own plugins. `root` is the folder of the program's `plugins`. */
export function openPackStore(
  app_root: AppRootPaths,
  project: ProjectIdentity | undefined,
  bundled: ToolCatalog,
  root: URL,
): PackStore {
  return new PackStore({
    app_root,
    project,
    bundled: bundled.plugins,
    bundled_dir: fileURLToPath(new URL("plugins", root)),
    version: VERSION,
  });
}

/**
 * Whether a project may bring packs. Each of them has an approval of its own, bound to its bytes and kept outside of the
 * project, so there is nothing further to ask.
 */
export function projectTrusted(_app_root: AppRootPaths, _project: ProjectIdentity): Promise<boolean> {
  return Promise.resolve(true);
}
