import { join } from "node:path";
import type { AppRootPaths } from "../../app_root/mod.ts";
import { makePrivateDirectory } from "../../app_root/mod.ts";
import { canonicalJson, EXIT, LuminaError } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { CapabilityRequest, PluginManifest } from "../../plugin_api/mod.ts";
import { hashPackFiles, packStamps } from "../packs/pack_files.ts";
import { newHooks } from "../packs/hook_words.ts";
import { packHooks } from "../packs/pack_hook.ts";
import type { PackHook } from "../packs/pack_hook.ts";
import { PackRecords } from "../packs/pack_record.ts";
import type { PackRecord, PackSource } from "../packs/pack_record.ts";
import { approvedHooks } from "../packs/pack_review.ts";
import { parseManifest } from "../packs/parse_manifest.ts";
import { asPackError } from "./as_pack_error.ts";
import { fetchPack } from "./fetch_pack.ts";
import type { FetchPorts } from "./fetch_pack.ts";
import { newRequests } from "./new_requests.ts";
import { changePack, finishPackChange } from "./pack_change.ts";
import type { PackPlace } from "./pack_change.ts";
import { parseSource, recordedSource, sourceText } from "./parse_source.ts";
import type { FetchSource } from "./parse_source.ts";
import { removeEmpty, removeTree } from "./remove_tree.ts";
import { stagePack } from "./staged_pack.ts";
import type { StagedPack } from "./staged_pack.ts";

/** How long fetching may take, milliseconds. */
const FETCH_MS = 300_000;
/** After this long an installation's folder belongs to none that is alive, milliseconds. */
const STALE_MS = 86_400_000;

export interface PackInstallerOptions {
  app_root: AppRootPaths;
  world: World;
  /** This program's version, which has checked what it installs. */
  version: string;
  place: PackPlace;
  /** The folder of a pack that holds what it keeps. */
  dataDir(id: string): string;
  ports: FetchPorts;
  /** Why a pack cannot live beside the program's own plugins; undefined when it can. */
  conflict(manifest: PluginManifest): string | undefined;
}

/** What a person is asked before a pack is put in place. */
export interface InstallQuestion {
  id: string;
  version: string;
  title: string;
  source: string;
  scope: "user" | "project";
  /** What is there now, when something is. */
  replaces?: { version: string; source: string };
  /** The new version is the older one. */
  downgrade: boolean;
  /** What has not been granted yet, and what has. */
  asks: CapabilityRequest[];
  granted: CapabilityRequest[];
  /** Hooks that nobody has let yet, and those that were let before. */
  hooks: PackHook[];
  known_hooks: PackHook[];
}

export interface InstallOutcome {
  id: string;
  version: string;
  scope: "user" | "project";
  /** `declined`: the person said no, and nothing was changed. */
  status: "installed" | "updated" | "unchanged" | "declined";
  /** The version that was there before. */
  from?: string;
  downgrade: boolean;
  directory: string;
  granted: CapabilityRequest[];
  hooks: PackHook[];
  /** Files that are not installed, since the pack's own integrity does not name them. */
  left_out: string[];
}

/** Asks a person; false is a no. Where nobody can be asked it throws. */
export type Consent = (question: InstallQuestion) => Promise<boolean>;

/** What goes with a pack. */
export interface RemovalPlan {
  id: string;
  version: string;
  directory: string;
  /** Its own folder, when it has kept something there. */
  data_dir?: string;
}

/** Puts packs of one scope in place, renews and removes them. Every error is one line that names the pack. */
export class PackInstaller {
  readonly #options: PackInstallerOptions;
  readonly #records: PackRecords;

  constructor(options: PackInstallerOptions) {
    this.#options = options;
    this.#records = new PackRecords(options.place.record_file);
  }

  /**
   * Installs what `text` names, relative to `cwd`. The same pack from the same source is renewed: only what it asks for
   * beyond its grant is asked about.
   */
  async install(text: string, cwd: string, consent: Consent): Promise<InstallOutcome> {
    return await this.#bring(parseSource(text, cwd), undefined, consent);
  }

  /** Fetches a pack again from where it came from. Throws `plugin.not_installed` (exit 4). */
  async update(id: string, consent: Consent): Promise<InstallOutcome> {
    const record = this.#installed(id);
    return await this.#bring(recordedSource(record.source), id, consent);
  }

  /** The packs that can be renewed or removed. */
  ids(): string[] {
    finishPackChange(this.#options.app_root.stateDir, this.#options.world);
    return [...this.#records.read().packs.keys()].sort();
  }

  /** What removing would take. Throws `plugin.not_installed` (exit 4). */
  planRemoval(id: string): RemovalPlan {
    const { version } = this.#installed(id);
    const data_dir = this.#options.dataDir(id);
    return {
      id,
      version,
      directory: join(this.#options.place.plugins_dir, id),
      ...(hasEntries(data_dir) ? { data_dir } : {}),
    };
  }

  /** Removes a pack, its record and, unless it is to stay, its data. */
  remove(id: string, keep_data: boolean): RemovalPlan {
    const plan = this.planRemoval(id);
    const { app_root, world, place } = this.#options;
    const remove = keep_data ? [] : [join(this.#options.dataDir(id), "..")];
    try {
      changePack(app_root.stateDir, world, { id, place, next: null, remove });
    } catch (error) {
      throw asPackError(error, id, "remove");
    }
    return plan;
  }

  #installed(id: string): PackRecord {
    finishPackChange(this.#options.app_root.stateDir, this.#options.world);
    const { packs, problem } = this.#records.read();
    const record = packs.get(id);
    if (record !== undefined) return record;
    const known = [...packs.keys()].sort().join(", ");
    const why = problem ?? (known === "" ? "no pack is installed here" : `installed here: ${known}`);
    throw new LuminaError("plugin.not_installed", `There is no installed pack "${id}" (${why})`, {
      exit: EXIT.not_found,
    });
  }

  async #bring(source: FetchSource, only: string | undefined, consent: Consent): Promise<InstallOutcome> {
    const { app_root, world } = this.#options;
    const shown = only ?? sourceText(source);
    const staging = join(app_root.tmpDir, `install-${world.uuid()}`);
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(new Error("it took longer than 5 minutes")), FETCH_MS);
    let name = shown;
    try {
      finishPackChange(app_root.stateDir, world);
      sweepStaging(app_root.tmpDir, world.now());
      makePrivateDirectory(staging);
      const fetched = await fetchPack(source, this.#options.ports, staging, limit.signal);
      clearTimeout(timer);
      const parse = (text: string) => {
        const manifest = parseManifest(text, shown);
        name = manifest.id;
        if (only !== undefined && manifest.id !== only) {
          throw new LuminaError(
            "plugin.source",
            `Pack "${only}": ${sourceText(source)} holds another pack now, "${manifest.id}"`,
            { exit: EXIT.conflict },
          );
        }
        return manifest;
      };
      const staged = await stagePack(fetched.read, join(staging, "pack"), parse);
      return await this.#place(staged, fetched.source, source, only === undefined, consent);
    } catch (error) {
      throw asPackError(error, name, only === undefined ? "install" : "update");
    } finally {
      clearTimeout(timer);
      removeTree(staging);
      removeEmpty(app_root.tmpDir, [app_root.cacheDir]);
    }
  }

  async #place(
    staged: StagedPack,
    from: PackSource,
    source: FetchSource,
    install: boolean,
    consent: Consent,
  ): Promise<InstallOutcome> {
    const { app_root, world, place, conflict } = this.#options;
    const { manifest, files, left_out } = staged;
    const { id, version } = manifest;
    const problem = conflict(manifest);
    if (problem !== undefined) {
      throw new LuminaError("plugin.conflict", `Pack "${id}": ${problem}`, { exit: EXIT.conflict });
    }
    const before = this.#records.read().packs.get(id);
    const directory = join(place.plugins_dir, id);
    const same_source = before !== undefined && sameOrigin(before.source, from);
    const asks = newRequests(manifest.capabilities, same_source ? before.granted : []);
    const all_hooks = packHooks(manifest);
    const hooks = newHooks(all_hooks, same_source ? before.hooks : []);
    const asked = asks.length + hooks.length > 0;
    const downgrade = before !== undefined && await isOlder(version, before.version);
    const outcome = {
      id,
      version,
      scope: place.scope,
      downgrade,
      directory,
      granted: manifest.capabilities,
      hooks: all_hooks,
      left_out,
      ...(before === undefined ? {} : { from: before.version }),
    };
    if (before !== undefined && same_source && !asked && await this.#isThere(id, before, files)) {
      const usable = before.disabled_reason === undefined && (!install || before.enabled);
      if (usable) {
        // another branch or range of the same source, with the same in it now
        if (from.value !== before.source.value) {
          this.#records.update((packs) => void packs.set(id, { ...before, source: from }));
        }
        return { ...outcome, status: "unchanged" };
      }
    }
    if (!same_source || asked) {
      const kept = newRequests(manifest.capabilities, asks);
      const agreed = await consent({
        id,
        version,
        title: manifest.title,
        source: sourceText(source),
        scope: place.scope,
        downgrade,
        asks,
        granted: kept,
        hooks,
        known_hooks: all_hooks.filter((hook) => !hooks.includes(hook)),
        ...(before === undefined
          ? {}
          : { replaces: { version: before.version, source: sourceText(recordedSource(before.source)) } }),
      });
      if (!agreed) return { ...outcome, granted: before?.granted ?? [], status: "declined" };
    }
    const record = (copy: string): PackRecord => ({
      version,
      source: from,
      files,
      stamps: packStamps(copy, Object.keys(files)),
      manifest_hash: files["manifest.json"] ?? "",
      granted: manifest.capabilities,
      ...approvedHooks(manifest),
      enabled: install || (before?.enabled ?? true),
      installed_at: new Date(world.now()).toISOString(),
      checked_by: this.#options.version,
    });
    const next = { directory: staged.directory, record };
    changePack(app_root.stateDir, world, { id, place, next, remove: [] });
    return { ...outcome, status: before === undefined ? "installed" : "updated" };
  }

  /** True when the very same bytes are in place. */
  async #isThere(id: string, before: PackRecord, files: Readonly<Record<string, string>>): Promise<boolean> {
    if (canonicalJson(before.files) !== canonicalJson(files)) return false;
    try {
      const directory = join(this.#options.place.plugins_dir, id);
      return canonicalJson(await hashPackFiles(directory, id)) === canonicalJson(files);
    } catch {
      return false; // gone or meddled with: it is put in place again
    }
  }
}

/** Removes what installations that were killed have left; none goes on for a day. */
function sweepStaging(tmp_dir: string, now: number): void {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(tmp_dir)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  for (const { name } of entries) {
    if (!name.startsWith("install-")) continue;
    const changed = Deno.lstatSync(join(tmp_dir, name)).mtime?.getTime() ?? now;
    if (now - changed > STALE_MS) removeTree(join(tmp_dir, name));
  }
}

/** The same folder, archive, package or repository, whatever version of it. */
function sameOrigin(a: PackSource, b: PackSource): boolean {
  const base = ({ kind, value }: PackSource) =>
    kind === "npm" ? value.replace(/(?<=.)@.*$/, "") : kind === "git" ? value.replace(/#.*$/, "") : value;
  return a.kind === b.kind && base(a) === base(b);
}

async function isOlder(version: string, than: string): Promise<boolean> {
  const { default: semver } = await import("semver");
  return semver.valid(version) !== null && semver.valid(than) !== null && semver.lt(version, than);
}

function hasEntries(folder: string): boolean {
  try {
    return !Deno.readDirSync(folder)[Symbol.iterator]().next().done;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
