import type { EnvReader } from "../../app_root/mod.ts";
import type { SettingsWatch } from "../../config/mod.ts";
import type { Model } from "../../model/mod.ts";
import type { ToolCatalog } from "../../plugin_host/mod.ts";
import type { LocatedSession } from "../locate_session.ts";
import { DEFAULT_LIMITS } from "../../plugin_api/mod.ts";
import type { PackServiceDeps } from "./pack_services.ts";

/** The parts of a session that its services need. */
export interface PackServiceParts
  extends Pick<PackServiceDeps, "session" | "world" | "validator" | "home" | "makeModel"> {
  watch: SettingsWatch;
  env: EnvReader & PackServiceDeps["env"];
  located: LocatedSession;
  model: Model;
  catalog: ToolCatalog;
}

/** What the services of one run work with. `added_dirs` are real paths. */
export async function packServiceDeps(
  parts: PackServiceParts,
  added_dirs: readonly string[],
  run: Pick<PackServiceDeps, "gate" | "asker" | "capture" | "emit" | "hooks">,
): Promise<PackServiceDeps> {
  const { session, world, watch, env, validator, located, home, makeModel, model, catalog } = parts;
  const [{ packLimits }, { certificates }] = await Promise.all([
    import("../../plugin_host/process/mod.ts"),
    import("./fetch_client.ts"),
  ]);
  const loaded = watch.current;
  const limits = { ...DEFAULT_LIMITS, ...loaded.settings.plugin_limits };
  const pack = (id: string) => catalog.packs.find((known) => known.id === id);
  return {
    ...run,
    session,
    world,
    loaded,
    env,
    validator,
    workspace: located.project.root,
    roots: [located.project.root, ...added_dirs],
    home,
    session_dir: located.directory,
    dataDir: ({ id }) => pack(id)?.data_dir ?? "",
    limits: ({ id }) => packLimits(pack(id)?.manifest.limits, limits),
    makeModel,
    max_output: model.max_output,
    ca_certs: await certificates(loaded.settings.ca_file, env),
  };
}
