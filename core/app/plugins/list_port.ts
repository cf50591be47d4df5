import { fileURLToPath } from "node:url";
import { projectIdentity, startDirectory } from "../../app_root/mod.ts";
import type { AppRoot } from "../../app_root/mod.ts";
import { EXIT, LuminaError, nearest } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { PluginDetails, PluginListOptions, PluginListPort, PluginRow } from "../../cli/mod.ts";
import { editSetting, loadSettings } from "../../config/mod.ts";
import { readCatalog } from "../../plugin_host/mod.ts";
import type { ToolCatalog } from "../../plugin_host/mod.ts";
import {
  approvedRecord,
  capabilityWords,
  hookWords,
  packHooks,
  reviewPack,
} from "../../plugin_host/packs/mod.ts";
import type { Pack, PackHook, PackProblem, PackRecord, PackStore } from "../../plugin_host/packs/mod.ts";
import { VERSION } from "../version.ts";
import { openPackStore, projectTrusted } from "./open_pack_store.ts";

export interface ListPortOptions {
  app_root: AppRoot;
  home: string;
  world: World;
  /** Folder of the program's `plugins`. */
  root: URL;
}

interface Found {
  store: PackStore;
  packs: readonly Pack[];
  problems: readonly PackProblem[];
  catalog: ToolCatalog;
  /** Ids that the setting switches off. */
  disabled: readonly string[];
}

/** Looking at plugins, switching them on and off, approving what has changed. */
export function pluginListPort(options: ListPortOptions): PluginListPort {
  const find = (cwd: string | undefined) => findPacks(options, cwd);
  return {
    async list(cwd) {
      const found = await find(cwd);
      const rows = found.packs.map((pack) => rowOf(pack, found));
      const told = new Set(rows.flatMap(({ problems }) => problems));
      const problems = found.problems.map(({ message }) => message).filter((message) => !told.has(message));
      return { plugins: rows, problems };
    },
    async show(id, where) {
      const found = await find(where.cwd);
      return detailsOf(pick(found, id, where), found);
    },
    async enable(id, on, where) {
      const found = await find(where.cwd);
      const pack = pick(found, id, where);
      const { scope } = pack;
      if (on && pack.problem !== undefined) throw blocked(pack.problem);
      let changed = false;
      if (scope === "bundled" || on) changed = await switchSetting(options, id, on);
      if (scope !== "bundled") {
        const records = found.store.records(scope);
        const record = records.read().packs.get(id);
        if (record === undefined) throw blocked(pack.problem ?? `Pack "${id}": it was never approved`);
        if (record.enabled !== on) {
          changed = true;
          records.update((packs) => {
            const { disabled_reason: _, ...rest } = packs.get(id) ?? record;
            packs.set(id, { ...rest, enabled: on });
          });
        }
      }
      const disabled = on ? (await find(where.cwd)).disabled : [];
      const still = [
        ...(disabled.includes(id)
          ? ["another source's disabled_plugins names it (lumina config list says which)"]
          : []),
        ...(on && pack.shadowed_by !== undefined
          ? [`the ${pack.shadowed_by === "bundled" ? "program" : pack.shadowed_by} has a plugin of this id`]
          : []),
      ];
      return { changed, still };
    },
    async trust(id, where, consent) {
      const found = await find(where.cwd);
      const pack = pick(found, id, where);
      const { scope, directory } = pack;
      if (scope === "bundled") return { id, version: pack.version, scope, status: "unchanged" };
      const records = found.store.records(scope);
      const record = records.read().packs.get(id);
      const review = await reviewPack(directory, id, record);
      const { manifest, changes, added, removed, added_hooks, known_hooks } = review;
      const words = (hook: PackHook) => hookWords(hook, scope === "project");
      const result = { id, version: manifest.version, scope };
      if (record !== undefined && changes.length + added.length + removed.length === 0) {
        return { ...result, status: "unchanged" };
      }
      const had = record?.granted ?? [];
      const yes = await consent({
        ...result,
        title: manifest.title,
        directory,
        approved: record?.version ?? null,
        changes: record === undefined ? [] : changes,
        asks: added.map(capabilityWords),
        granted: had.filter((request) => !removed.includes(request)).map(capabilityWords),
        dropped: removed.map(capabilityWords),
        hooks: added_hooks.map(words),
        known_hooks: known_hooks.map(words),
      });
      if (!yes) return { ...result, status: "declined" };
      const source = record?.source ?? { kind: "path" as const, value: directory };
      records.update((packs) => {
        packs.set(id, approvedRecord(review, source, options.world.now(), VERSION));
      });
      return { ...result, status: "trusted" };
    },
  };
}

async function findPacks(options: ListPortOptions, cwd: string | undefined): Promise<Found> {
  const { app_root, home, root } = options;
  const project = projectIdentity(startDirectory(cwd));
  const bundled = readCatalog(fileURLToPath(new URL("plugins", root)));
  const store = openPackStore(app_root, project, bundled, root);
  const { packs, problems } = store.discover({ trusted: await projectTrusted(app_root, project) });
  const { settings } = await loadSettings({ app_root, project_dir: project.root, env: Deno.env, home });
  const disabled = settings.disabled_plugins;
  const catalog = bundled.withPacks(packs, disabled);
  return { store, packs, problems: [...problems, ...catalog.problems], catalog, disabled };
}

function pick({ packs, problems }: Found, id: string, { project }: PluginListOptions): Pack {
  const known = packs.filter((pack) => pack.id === id && (!project || pack.scope === "project"));
  const [pack] = known;
  if (pack !== undefined) return pack;
  const broken = problems.find((problem) => problem.pack === id);
  if (broken !== undefined) throw blocked(broken.message);
  const near = nearest(id, packs.map((pack) => pack.id));
  const hint = near === undefined ? "lumina plugin list shows those that there are" : `did you mean ${near}?`;
  throw new LuminaError(
    "plugin.unknown",
    `There is no plugin "${id}"${project ? " in this project" : ""}: ${hint}`,
    {
      exit: EXIT.not_found,
    },
  );
}

function blocked(message: string): LuminaError {
  return new LuminaError("plugin.blocked", message, { exit: EXIT.blocked });
}

function rowOf(pack: Pack, { catalog, problems, disabled }: Found): PluginRow {
  const { id, version, scope, directory, manifest, enabled, shadowed_by, switched_off } = pack;
  const by_setting = disabled.includes(id);
  return {
    id,
    version,
    title: manifest.title,
    scope,
    enabled: enabled && !by_setting,
    tools: manifest.contributes.tools.map(({ name }) => name),
    hooks: [...new Set(packHooks(manifest).map(({ event }) => event))],
    shadowed_by: shadowed_by ?? null,
    problems: shadowed_by !== undefined
      ? []
      : [...problems, ...catalog.problems].filter((problem) => problem.pack === id && problem.scope === scope)
        .map(({ message }) => message).filter((message, index, all) => all.indexOf(message) === index),
    switched_off: by_setting ? "setting" : switched_off ? "record" : null,
    directory,
  };
}

function detailsOf(pack: Pack, found: Found): PluginDetails {
  const { id, scope, manifest, grant, files, data_dir } = pack;
  const record: PackRecord | undefined = scope === "bundled"
    ? undefined
    : found.store.records(scope).read().packs.get(id);
  const key = (request: unknown) => JSON.stringify(request);
  const had = new Set(grant.map(key));
  return {
    ...rowOf(pack, found),
    description: manifest.description ?? "",
    kinds: manifest.kinds,
    source: record?.source === undefined ? null : { ...record.source },
    installed_at: record?.installed_at ?? null,
    data_dir: scope === "bundled" ? null : data_dir,
    entry: manifest.entry ?? null,
    files: { ...files },
    tool_details: manifest.contributes.tools.map((tool) => ({
      name: tool.name,
      effect: tool.effect,
      destructive: tool.destructive ?? false,
      idempotent: tool.idempotent ?? false,
      capabilities: tool.capabilities,
      description: tool.description,
    })),
    hook_details: packHooks(manifest).map((hook) => ({
      event: hook.event,
      matcher: hook.matcher ?? null,
      handler: hook.handler,
      capabilities: [...hook.capabilities],
      words: hookWords(hook, scope === "project"),
    })),
    granted: manifest.capabilities.filter((request) => had.has(key(request))).map(capabilityWords),
    not_granted: manifest.capabilities.filter((request) => !had.has(key(request))).map(capabilityWords),
  };
}

/** Takes an id from the user's own `disabled_plugins`, or adds it; says whether that changed anything. */
async function switchSetting({ app_root, home }: ListPortOptions, id: string, on: boolean): Promise<boolean> {
  const { settings } = await loadSettings({ app_root, env: { get: () => undefined }, home });
  const own = settings.disabled_plugins;
  const index = own.indexOf(id);
  if (on === (index < 0)) return false;
  const path = ["disabled_plugins"];
  if (!on && own.length === 0) await editSetting(app_root.settingsFile, path, [id]);
  else if (!on) await editSetting(app_root.settingsFile, [...path, own.length], id);
  else await editSetting(app_root.settingsFile, [...path, index], undefined);
  return true;
}
