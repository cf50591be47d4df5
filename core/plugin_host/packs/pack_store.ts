import { join, relative } from "node:path";
import type { AppRootPaths, ProjectIdentity } from "../../app_root/mod.ts";
import { canonicalJson, errorMessage, LuminaError, sha256 } from "../../base/mod.ts";
import { isInside } from "../../files/mod.ts";
import type { PluginManifest } from "../../plugin_api/mod.ts";
import type { Json } from "../../types/mod.ts";
import type { Pack, PackProblem, PackScope } from "./pack.ts";
import { comparePackFiles } from "./pack_files.ts";
import type { PackRecord } from "./pack_record.ts";
import { PackRecords } from "./pack_record.ts";
import { assertRunnable, readManifest } from "./parse_manifest.ts";
import { completeManifest } from "../catalog.ts";
import { hidesSomething, quoted } from "../quoted.ts";

/** Bytes of a manifest; a larger one is not read. */
const MAX_MANIFEST_BYTES = 1024 * 1024;

export interface PackStoreOptions {
  app_root: AppRootPaths;
  /** Where project packs lie; without one there are none. */
  project?: ProjectIdentity | undefined;
  /** The manifests of the program's own plugins, and the folder that holds theirs. */
  bundled: readonly PluginManifest[];
  bundled_dir: string;
  /** This program's version: a manifest that it has checked before is not checked again. */
  version: string;
}

/** What was found. */
export interface Discovery {
  /** In the order in which they count: bundled, user, project; each by id. */
  packs: Pack[];
  problems: PackProblem[];
}

/**
 * The packs of a user and a project. Looks at manifests, records and what files look like; reads a pack's other files only
 * where they look changed, and never loads code.
 */
export class PackStore {
  readonly #options: PackStoreOptions;
  #data_root: string | undefined;

  constructor(options: PackStoreOptions) {
    this.#options = options;
  }

  /** Finds every pack. `trusted`: whether the project may bring code. Never throws: what is wrong is a problem. */
  discover({ trusted }: { trusted: boolean }): Discovery {
    const { bundled, bundled_dir } = this.#options;
    const problems: PackProblem[] = [];
    const packs = bundled.map((manifest): Pack => ({
      id: manifest.id,
      scope: "bundled",
      directory: join(bundled_dir, manifest.id),
      manifest,
      version: manifest.version,
      grant: manifest.capabilities,
      files: {},
      enabled: true,
      data_dir: this.dataDir(manifest.id, "user"),
    }));
    for (const scope of ["user", "project"] as const) {
      for (const pack of this.#scope(scope, trusted, problems)) {
        const first = packs.find(({ id, shadowed_by }) => id === pack.id && shadowed_by === undefined);
        if (first !== undefined) {
          // what stands behind another one does not run, so what is wrong with it troubles nobody
          const { problem: _, ...rest } = pack;
          packs.push({ ...rest, enabled: false, shadowed_by: first.scope });
          continue;
        }
        packs.push(pack);
        if (pack.problem !== undefined) problems.push({ pack: pack.id, scope, message: pack.problem });
      }
    }
    return { packs, problems };
  }

  /** The folder whose folders are the packs of a scope; undefined where there is no project. */
  directory(scope: "user" | "project"): string | undefined {
    const { app_root, project } = this.#options;
    if (scope === "user") return app_root.userPluginsDir;
    return project === undefined ? undefined : join(project.root, ".Lumina", "plugins");
  }

  /** What was approved in a scope. */
  records(scope: "user" | "project"): PackRecords {
    const { app_root, project } = this.#options;
    const folder = scope === "user" || project === undefined
      ? app_root.configDir
      : app_root.projectDir(project.id);
    return new PackRecords(join(folder, "plugins.json"));
  }

  /** The folder where a pack keeps what is its own; a project's pack has none of a user's. */
  dataDir(id: string, scope: "user" | "project"): string {
    const { app_root, project } = this.#options;
    const own = scope === "user" || project === undefined
      ? []
      : [relative(app_root.dataDir, app_root.projectDir(project.id))];
    return join(this.#dataRoot(), ...own, "plugins", id, "data");
  }

  /** Links resolved: permissions are given to real paths. */
  #dataRoot(): string {
    const { dataDir } = this.#options.app_root;
    try {
      return this.#data_root ??= Deno.realPathSync(dataDir);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return dataDir; // it is made with the app root
      throw error;
    }
  }

  #scope(scope: "user" | "project", trusted: boolean, problems: PackProblem[]): Pack[] {
    const directory = this.directory(scope);
    const names = directory === undefined ? [] : folders(directory, scope, problems);
    if (directory === undefined || names.length === 0) return [];
    const records = this.records(scope);
    const { packs: approved, problem } = records.read();
    if (problem !== undefined) problems.push({ pack: "", scope, message: problem });
    const renewed = new Map<string, Record<string, string>>();
    const packs = names.flatMap((name) => {
      try {
        const found = this.#read(join(directory, name), name, scope, approved.get(name), trusted);
        if (found.renewed !== undefined) renewed.set(name, found.renewed);
        return [found.pack];
      } catch (error) {
        problems.push({ pack: name, scope, message: packMessage(name, error) });
        return [];
      }
    });
    if (renewed.size > 0) renewRecords(records, renewed, this.#options.version);
    return packs;
  }

  /** One pack with what became of it. Throws when it has no manifest that can be read. */
  #read(
    directory: string,
    name: string,
    scope: "user" | "project",
    record: PackRecord | undefined,
    trusted: boolean,
  ): { pack: Pack; renewed?: Record<string, string> } {
    const real = Deno.realPathSync(directory);
    const { project } = this.#options;
    if (scope === "project" && project !== undefined && !isInside(project.root, real)) {
      throw new LuminaError(
        "plugin.outside",
        `Pack "${name}": its folder lies outside of the project, at ${real}`,
      );
    }
    const bytes = manifestBytes(real, name);
    const text = new TextDecoder().decode(bytes);
    const hash = sha256(bytes);
    const known = record?.manifest_hash === hash && record.checked_by === this.#options.version;
    const manifest = known ? completeManifest(JSON.parse(text)) : readManifest(text, name);
    if (manifest.id !== name) {
      throw new LuminaError(
        "plugin.manifest",
        `Pack "${name}": its id is "${manifest.id}", so its folder must have that name too`,
      );
    }
    const pack: Pack = {
      id: name,
      scope,
      directory: real,
      manifest,
      version: manifest.version,
      grant: record?.granted ?? [],
      files: record?.files ?? {},
      enabled: false,
      data_dir: this.dataDir(name, scope),
      ...(record?.enabled === false ? { switched_off: true } : {}),
    };
    let renewed: Record<string, string> | undefined;
    let problem: string | undefined;
    try {
      assertRunnable(manifest);
      if (scope === "project" && !trusted) {
        problem = "the project is not trusted: lumina trust shows what it brings";
      } else if (record === undefined) {
        problem = `nobody has granted what it asks for: lumina plugin trust ${name} shows it and asks`;
      } else {
        const compared = comparePackFiles(real, name, record.files, record.stamps);
        problem = changeProblem(pack, record, hash, compared.changes);
        // unchanged bytes with another look, or checked by another Lumina: the next start need not look again
        if (problem === undefined) renewed = compared.renewed ?? (known ? undefined : record.stamps);
      }
      problem = problem === undefined ? undefined : `Pack "${name}": ${problem}`;
    } catch (error) {
      problem = packMessage(name, error);
    }
    if (problem !== undefined) return { pack: { ...pack, problem } };
    return {
      pack: { ...pack, enabled: record?.enabled === true },
      ...(renewed === undefined ? {} : { renewed }),
    };
  }
}

/** Names of the folders that may be packs. */
function folders(directory: string, scope: PackScope, problems: PackProblem[]): string[] {
  const names: string[] = [];
  try {
    for (const { name, isDirectory, isSymlink } of Deno.readDirSync(directory)) {
      if (name.startsWith(".")) continue; // where installs are laid out before they are there
      if (hidesSomething(name)) {
        const message = `Pack ${quoted(name)}: its folder has a control or invisible character in its name`;
        problems.push({ pack: "", scope, message });
      } else if (isDirectory) names.push(name);
      else if (isSymlink) {
        const message = `Pack "${name}": ${
          join(directory, name)
        } is a link: lumina plugin install PATH copies a folder`;
        problems.push({ pack: name, scope, message });
      }
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    const message = `Cannot look for plugins in ${directory}: ${errorMessage(error)}`;
    problems.push({ pack: "", scope, message });
  }
  return names.sort();
}

function manifestBytes(directory: string, name: string): Uint8Array {
  const file = join(directory, "manifest.json");
  const { size, isFile } = Deno.lstatSync(file);
  if (!isFile || size > MAX_MANIFEST_BYTES) {
    throw new LuminaError(
      "plugin.manifest",
      `Pack "${name}": manifest.json must be a plain file of at most ${MAX_MANIFEST_BYTES} bytes`,
    );
  }
  return Deno.readFileSync(file);
}

/** Why a pack that was approved does not run as it is now. */
function changeProblem(
  pack: Pack,
  record: PackRecord,
  manifest_hash: string,
  changes: readonly { path: string; what: string }[],
): string | undefined {
  const again = `lumina plugin trust ${pack.id} shows what changed and asks`;
  if (!sameRequests(pack.manifest.capabilities, record.granted)) {
    return `it asks for other capabilities than were granted: ${again}`;
  }
  const [first] = changes;
  if (first === undefined) {
    return manifest_hash === record.manifest_hash
      ? undefined
      : `manifest.json has changed since it was approved: ${again}`;
  }
  const more = changes.length > 1 ? ` (and ${changes.length - 1} more)` : "";
  const what = first.what === "changed" ? "has changed" : first.what === "added" ? "is new" : "is missing";
  return `${first.path} ${what}${more} since it was approved: ${again}`;
}

/** True when two lists ask for the same, in whatever order. */
export function sameRequests(a: readonly unknown[], b: readonly unknown[]): boolean {
  const key = (requests: readonly unknown[]) =>
    requests.map((request) => canonicalJson(request as Json)).sort().join("\n");
  return key(a) === key(b);
}

/** Keeps what a look has found to stand for the approved bytes, so that the next start need not read them. */
function renewRecords(
  records: PackRecords,
  renewed: ReadonlyMap<string, Record<string, string>>,
  checked_by: string,
): void {
  try {
    records.update((all) => {
      for (const [id, stamps] of renewed) {
        const record = all.get(id);
        if (record !== undefined) all.set(id, { ...record, stamps, checked_by });
      }
    });
  } catch {
    // only speed is lost: the next start compares the bytes again
  }
}

function packMessage(name: string, error: unknown): string {
  if (error instanceof LuminaError) return error.message;
  if (error instanceof Deno.errors.NotFound) return `Pack "${name}": it has no manifest.json`;
  return `Pack "${name}": it cannot be read: ${errorMessage(error)}`;
}
