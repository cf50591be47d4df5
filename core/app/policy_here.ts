import { fileURLToPath } from "node:url";
import { projectIdentity, startDirectory } from "../app_root/mod.ts";
import type { AppRoot } from "../app_root/mod.ts";
import type { RulesQuery } from "../cli/mod.ts";
import { loadSettings } from "../config/mod.ts";
import type { LoadedSettings } from "../config/mod.ts";
import { readCatalog } from "../plugin_host/mod.ts";
import type { ToolCatalog } from "../plugin_host/mod.ts";
import { toolNames } from "./policy_layers.ts";
import { hasPacks } from "./plugins/has_packs.ts";
import { sessionPacks } from "./plugins/session_packs.ts";
import { sandboxWishes } from "./sandbox/session_sandbox.ts";
import { sandboxPolicy } from "./sandbox_available.ts";
import { sessionPolicy } from "./session_policy.ts";
import type { SessionPolicy } from "./session_policy.ts";

/** What a session that started here and now would judge by. */
export interface PolicyHere {
  /** Real path of the workspace. */
  workspace: string;
  loaded: LoadedSettings;
  catalog: ToolCatalog;
  policy: SessionPolicy;
}

/** Reads settings, rules and tools as a session would. Throws `config.…`, `permission.…`, `cli.usage`. */
export async function policyHere(
  flags: RulesQuery,
  app_root: AppRoot,
  home: string,
  root: URL,
): Promise<PolicyHere> {
  const project = projectIdentity(startDirectory(flags.cwd));
  const loaded = await loadSettings({
    app_root,
    project_dir: project.root,
    env: Deno.env,
    home,
    ...(flags.settings_file === undefined ? {} : { settings_file: flags.settings_file }),
  });
  const bundled = readCatalog(fileURLToPath(new URL("plugins", root)));
  const { disabled_plugins: disabled } = loaded.settings;
  const { catalog } = hasPacks(app_root, project)
    ? await sessionPacks({ bundled, app_root, project, root, disabled })
    : { catalog: bundled };
  const policy = await sessionPolicy({
    loaded,
    flags,
    app_root,
    project,
    home,
    spill_dir: app_root.spillDir(project.id, "none"),
    kept: { source: { origin: "session", base_dir: project.root } },
    shell: { cwd: project.root },
    sandbox: await sandboxPolicy(
      project.root,
      sandboxWishes({ home, workspace: project.root, env: Deno.env, settings: () => loaded.settings }),
    ),
    env: Deno.env,
    tools: toolNames(catalog),
  });
  return { workspace: project.root, loaded, catalog, policy };
}
