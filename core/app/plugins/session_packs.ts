import type { AppRootPaths, ProjectIdentity } from "../../app_root/mod.ts";
import type { ToolCatalog } from "../../plugin_host/mod.ts";
import { openPackStore, projectTrusted } from "./open_pack_store.ts";

/** What packs bring to a session. */
export interface SessionPacks {
  catalog: ToolCatalog;
  /** What is wrong with packs, one line each; the session goes on without them. */
  warnings: string[];
}

/** Adds the tools of the packs that may run. `project` is absent where the project brings nothing (`--bare`). */
export async function sessionPacks(options: {
  bundled: ToolCatalog;
  app_root: AppRootPaths;
  project: ProjectIdentity | undefined;
  /** Folder of the program's `plugins`. */
  root: URL;
  /** Ids that the settings switch off. */
  disabled: readonly string[];
}): Promise<SessionPacks> {
  const { bundled, app_root, project, root, disabled } = options;
  const trusted = project !== undefined && await projectTrusted(app_root, project);
  const { packs, problems } = openPackStore(app_root, project, bundled, root).discover({ trusted });
  // what is switched off takes no names from others, and nobody asks what is wrong with it
  const off = packs.filter(({ id, switched_off }) => switched_off === true || disabled.includes(id))
    .map(({ id }) => id);
  const catalog = bundled.withPacks(packs, off);
  const told = problems.filter(({ pack }) => !off.includes(pack) && !disabled.includes(pack));
  return { catalog, warnings: [...told, ...catalog.problems].map(({ message }) => message) };
}
