import { fileURLToPath } from "node:url";
import { projectIdentity, startDirectory } from "../../app_root/mod.ts";
import type { AppRoot, ProjectIdentity } from "../../app_root/mod.ts";
import type { HookListing, ListedHook } from "../../cli/mod.ts";
import { loadSettings } from "../../config/mod.ts";
import type { Settings } from "../../config/mod.ts";
import { FIRED_EVENTS, hookText } from "../../extension/mod.ts";
import type { HookDefinition } from "../../extension/mod.ts";
import { packHooks, readCatalog } from "../../plugin_host/mod.ts";
import { hasPacks } from "../plugins/has_packs.ts";
import { sessionPacks } from "../plugins/session_packs.ts";
import { TrustFile } from "../plugins/trust_file.ts";
import { managedHooksOnly, settingsHooks } from "./configured_hooks.ts";
import { projectHooks } from "./project_hooks.ts";

export interface ListHooksOptions {
  app_root: AppRoot;
  home: string;
  /** Folder of the program's `plugins`. */
  root: URL;
}

/** Every hook of a session that would start in a directory, and why one is not run. Throws `config.…` and `cli.usage`. */
export async function listHooks(
  { app_root, home, root }: ListHooksOptions,
  where: { cwd?: string; settings_file?: string },
): Promise<HookListing> {
  const project = projectIdentity(startDirectory(where.cwd));
  const loaded = await loadSettings({
    app_root,
    project_dir: project.root,
    env: Deno.env,
    home,
    ...(where.settings_file === undefined ? {} : { settings_file: where.settings_file }),
  });
  const { settings, managed } = loaded;
  const only = managedHooksOnly(loaded)
    ? settings.disable_all_hooks ? "disable_all_hooks is set" : `only the hooks of ${managed?.file} are run`
    : null;
  // what is switched off is listed as well, and says so
  const set = await settingsHooks({
    ...loaded,
    settings: { ...settings, disable_all_hooks: false },
    ...(managed === undefined ? {} : { managed: { ...managed, allow_managed_hooks_only: false } }),
  });
  const brought = await projectHooks(project.root);
  const trusted = new TrustFile(app_root, project.id).trustedHooks();
  const packs = await ofPacks(app_root, project, settings, root);
  const hooks = [
    ...set.hooks.map(({ definition, source, origin, line }) =>
      listed(definition, {
        source,
        file: origin,
        line: line ?? null,
        trusted: true,
        off: source === "managed" ? null : only,
      })
    ),
    ...brought.hooks.map(({ definition, file, line, hash }) => {
      const is_trusted = trusted.has(hash);
      const off = only ?? (is_trusted ? null : "nobody has trusted it as it is now (lumina trust)");
      return listed(definition, { source: "repo", file, line, trusted: is_trusted, off });
    }),
    ...packs.hooks.map((hook) => ({ ...hook, off: only ?? hook.off })),
  ];
  return { hooks, problems: [...loaded.warnings, ...set.problems, ...brought.problems, ...packs.problems] };
}

function listed(
  definition: HookDefinition,
  place: Pick<ListedHook, "source" | "file" | "line" | "trusted" | "off">,
): ListedHook {
  const { event, matcher, type, condition, timeout_ms, background } = definition;
  return {
    event,
    matcher: matcher ?? null,
    type,
    command: hookText(definition),
    if: condition ?? null,
    timeout_seconds: timeout_ms / 1000,
    async: background,
    ...place,
    off: place.off ?? (FIRED_EVENTS.has(event) ? null : `${event} is not fired by this version`),
  };
}

async function ofPacks(
  app_root: AppRoot,
  project: ProjectIdentity,
  { disabled_plugins: disabled }: Settings,
  root: URL,
): Promise<{ hooks: ListedHook[]; problems: string[] }> {
  if (!hasPacks(app_root, project)) return { hooks: [], problems: [] };
  const bundled = readCatalog(fileURLToPath(new URL("plugins", root)));
  const { catalog, warnings } = await sessionPacks({ bundled, app_root, project, root, disabled });
  const hooks = catalog.packs.flatMap((pack) =>
    packHooks(pack.manifest).map(({ event, matcher, handler, timeout_ms }): ListedHook => ({
      event,
      matcher: matcher ?? null,
      type: "pack",
      command: `${pack.id}: ${handler}`,
      if: null,
      timeout_seconds: timeout_ms / 1000,
      async: false,
      source: "pack",
      file: pack.directory,
      line: null,
      trusted: true,
      off: FIRED_EVENTS.has(event) ? null : `${event} is not fired by this version`,
    }))
  );
  return { hooks, problems: warnings };
}
