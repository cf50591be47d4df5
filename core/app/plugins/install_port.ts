import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { projectIdentity, startDirectory } from "../../app_root/mod.ts";
import type { AppRoot, ProjectIdentity } from "../../app_root/mod.ts";
import { EXIT, LuminaError } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { PluginConsent, PluginInstallPort, PluginScopeOptions } from "../../cli/mod.ts";
import { childEnvironment, loadSettings } from "../../config/mod.ts";
import { isInside } from "../../files/mod.ts";
import { PackInstaller, readNpmConfig } from "../../plugin_host/install/mod.ts";
import type { Consent, FetchPorts, InstallOutcome, PackPlace } from "../../plugin_host/install/mod.ts";
import { readCatalog } from "../../plugin_host/mod.ts";
import { capabilityWords, hookWords } from "../../plugin_host/packs/mod.ts";
import type { PackHook } from "../../plugin_host/packs/mod.ts";
import type { PluginManifest } from "../../plugin_api/mod.ts";
import { findPrograms } from "../program_paths.ts";
import { VERSION } from "../version.ts";
import { fetchClient } from "./fetch_client.ts";

/** What git may be told of the way to the network, beside what every child gets. */
const NETWORK_VARIABLES = [
  "http_proxy",
  "https_proxy",
  "no_proxy",
  "HTTPS_PROXY",
  "NO_PROXY",
  "GIT_SSL_CAINFO",
  "SSL_CERT_FILE",
];

export interface InstallPortDeps {
  app_root: AppRoot;
  home: string;
  world: World;
  /** The program's folder: `plugins/` with the bundled manifests is there. */
  root: URL;
}

/** Installing, renewing and removing packs for the command line. */
export function pluginInstallPort({ app_root, home, world, root }: InstallPortDeps): PluginInstallPort {
  const run = async <T>(
    options: PluginScopeOptions,
    use: (installer: PackInstaller) => T | Promise<T>,
  ) => {
    const cwd = startDirectory(options.cwd);
    const project = projectIdentity(cwd);
    const settings = async () =>
      (await loadSettings({ app_root, project_dir: project.root, env: Deno.env, home })).settings;
    await using client = fetchClient(async () => (await settings()).ca_file, Deno.env);
    const place = options.project ? projectPlace(app_root, project) : userPlace(app_root);
    const data = options.project ? app_root.projectDir(project.id) : app_root.dataDir;
    const ports: FetchPorts = {
      fetch: (url, init) => client.fetch(url, init),
      npm: () => readNpmConfig(Deno.env, home),
      git: () => findPrograms(["git"], Deno.env.get("PATH"), project.root)["git"],
      env: async () => ({ ...childEnvironment(Deno.env, await settings()), ...networkVariables() }),
    };
    const installer = new PackInstaller({
      app_root,
      world,
      version: VERSION,
      place,
      dataDir: (id) => join(data, "plugins", id, "data"),
      ports,
      conflict: (manifest) => bundledConflict(manifest, root),
    });
    return await use(installer);
  };
  return {
    install: (source, options, consent) =>
      // a relative source is one for whoever types it, wherever the project is
      run(options, async (installer) =>
        shown(await installer.install(source, startDirectory(undefined), inWords(consent)))),
    update: (id, options, consent) =>
      run(options, async (installer) => shown(await installer.update(id, inWords(consent)))),
    installed: (options) => run(options, (installer) => installer.ids()),
    planRemoval: (id, options) => run(options, (installer) => installer.planRemoval(id)),
    remove: (id, options) => run(options, (installer) => installer.remove(id, options.keep_data)),
  };
}

function userPlace(app_root: AppRoot): PackPlace {
  return {
    scope: "user",
    plugins_dir: app_root.userPluginsDir,
    record_file: join(app_root.configDir, "plugins.json"),
    keep: [app_root.root, app_root.configDir, app_root.dataDir],
  };
}

/** A link in the repository must not lead what is installed somewhere else. */
function projectPlace(app_root: AppRoot, project: ProjectIdentity): PackPlace {
  const plugins_dir = join(project.root, ".Lumina", "plugins");
  for (const folder of [join(project.root, ".Lumina"), plugins_dir]) {
    const real = realPath(folder);
    if (real === undefined || (real === folder && isInside(project.root, real))) continue;
    throw new LuminaError(
      "plugin.outside",
      `Cannot install plugins into ${folder}: it is a link to ${real}; make it a folder first`,
      { exit: EXIT.conflict },
    );
  }
  return {
    scope: "project",
    plugins_dir,
    record_file: join(app_root.projectDir(project.id), "plugins.json"),
    keep: [project.root, app_root.dataDir],
  };
}

function realPath(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** What would keep a pack from ever being used beside the plugins of the program. */
function bundledConflict(manifest: PluginManifest, root: URL): string | undefined {
  const catalog = readCatalog(fileURLToPath(new URL("plugins", root)));
  if (catalog.plugins.some(({ id }) => id === manifest.id)) {
    return "that is the id of a plugin of Lumina itself, which stands before it: it needs another id";
  }
  for (const tool of manifest.contributes.tools) {
    for (const name of [tool.name, ...tool.aliases]) {
      const other = catalog.find(name);
      if (other !== undefined) {
        return `its tool ${
          JSON.stringify(name)
        } has the name of a tool of Lumina's own plugin ${other.plugin}`;
      }
    }
  }
  return undefined;
}

function networkVariables(): Record<string, string> {
  return Object.fromEntries(
    NETWORK_VARIABLES.flatMap((name) => {
      const value = Deno.env.get(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function inWords(consent: PluginConsent): Consent {
  return ({ asks, granted, hooks, known_hooks, ...rest }) => {
    const words = (hook: PackHook) => hookWords(hook, rest.scope === "project");
    return consent({
      ...rest,
      asks: asks.map(capabilityWords),
      granted: granted.map(capabilityWords),
      hooks: hooks.map(words),
      known_hooks: known_hooks.map(words),
    });
  };
}

function shown({ granted, hooks, ...rest }: InstallOutcome) {
  return {
    ...rest,
    granted: granted.map(capabilityWords),
    hooks: hooks.map((hook) => hookWords(hook, rest.scope === "project")),
  };
}
