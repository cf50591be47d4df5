import { join } from "node:path";
import { canonicalJson, loadNativeHash, LuminaError, sha256 } from "../../base/mod.ts";
import type { CapabilityRequest, PluginManifest } from "../../plugin_api/mod.ts";
import { quoted } from "../quoted.ts";
import { hookApproval, newHooks } from "./hook_words.ts";
import { packHooks } from "./pack_hook.ts";
import type { PackHook } from "./pack_hook.ts";
import type { Pack } from "./pack.ts";
import { listPackFiles, packStamps } from "./pack_files.ts";
import type { PackChange } from "./pack_files.ts";
import type { PackRecord, PackSource } from "./pack_record.ts";
import { parseManifest } from "./parse_manifest.ts";

/** A pack as it lies there, beside what was approved: what a person looks at, and what the answer is bound to. */
export interface PackReview {
  id: string;
  manifest: PluginManifest;
  files: Record<string, string>;
  stamps: Record<string, string>;
  manifest_hash: string;
  /** True when it was never approved. */
  fresh: boolean;
  changes: PackChange[];
  /** Asked for and not granted yet. */
  added: CapabilityRequest[];
  /** Granted and not asked for any more. */
  removed: CapabilityRequest[];
  /** Hooks that were not approved yet, and those that were. */
  added_hooks: PackHook[];
  known_hooks: PackHook[];
}

/**
 * Reads every file of a pack once. An approval of the review holds for exactly these bytes, whatever becomes of the files
 * meanwhile. Throws as `parseManifest` and `listPackFiles` do.
 */
export async function reviewPack(
  directory: string,
  id: string,
  record: PackRecord | undefined,
): Promise<PackReview> {
  await loadNativeHash();
  const paths = listPackFiles(directory, id);
  const stamps = packStamps(directory, paths); // before the bytes: a later change does not fit them
  const files: Record<string, string> = {};
  let text = "";
  for (const path of paths) {
    const bytes = await Deno.readFile(join(directory, path));
    files[path] = sha256(bytes);
    if (path === "manifest.json") text = new TextDecoder().decode(bytes);
  }
  const manifest = parseManifest(text, id);
  if (manifest.id !== id) {
    throw new LuminaError(
      "plugin.manifest",
      `Pack ${quoted(id)}: its id is "${manifest.id}", so its folder must have that name too`,
    );
  }
  const { skills = [], commands = [] } = manifest.contributes;
  const named = [
    ...manifest.entry === undefined ? [] : [manifest.entry],
    ...commands,
    ...skills.map((folder) => `${folder.replace(/\/+$/, "")}/SKILL.md`),
  ];
  const missing = named.find((path) => files[path.replace(/^\.\//, "")] === undefined);
  if (missing !== undefined) {
    throw new LuminaError(
      "plugin.manifest",
      `Pack "${id}": its ${missing === manifest.entry ? `entry ${missing}` : `file ${missing}`} is missing`,
    );
  }
  for (const [path, hash] of Object.entries(manifest.integrity ?? {})) {
    if (files[path] === hash) continue;
    throw new LuminaError(
      "plugin.integrity",
      `Pack "${id}": ${path} is ${
        files[path] === undefined ? "missing" : "not the file that it was built with"
      }`,
    );
  }
  const granted = record?.granted ?? [];
  const hooks = packHooks(manifest);
  const added_hooks = newHooks(hooks, record?.hooks);
  return {
    id,
    manifest,
    files,
    stamps,
    manifest_hash: files["manifest.json"] ?? "",
    fresh: record === undefined,
    changes: fileChanges(record?.files ?? {}, files),
    added: without(manifest.capabilities, granted),
    removed: without(granted, manifest.capabilities),
    added_hooks,
    known_hooks: hooks.filter((hook) => !added_hooks.includes(hook)),
  };
}

/** The record of an approved review. `now` in milliseconds, `checked_by` the version of this program. */
export function approvedRecord(
  review: PackReview,
  source: PackSource,
  now: number,
  checked_by: string,
): PackRecord {
  const { manifest, files, stamps, manifest_hash } = review;
  return {
    version: manifest.version,
    source,
    files,
    stamps,
    manifest_hash,
    checked_by,
    granted: manifest.capabilities,
    ...approvedHooks(manifest),
    enabled: true,
    installed_at: new Date(now).toISOString(),
  };
}

/** The part of a record that says what a person has let a pack's hooks do. */
export function approvedHooks(manifest: PluginManifest): Pick<PackRecord, "hooks"> {
  const hooks = packHooks(manifest).map(hookApproval);
  return hooks.length === 0 ? {} : { hooks };
}

/** A hash over all that a pack is: what an answer about it is bound to. */
export function packHash(pack: Pick<Pack | PackReview, "id" | "files">): string {
  return sha256(canonicalJson({ id: pack.id, files: { ...pack.files } }));
}

function fileChanges(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): PackChange[] {
  const changes: PackChange[] = [];
  for (const [path, hash] of Object.entries(after)) {
    if (before[path] === undefined) changes.push({ path, what: "added" });
    else if (before[path] !== hash) changes.push({ path, what: "changed" });
  }
  for (const path of Object.keys(before)) {
    if (after[path] === undefined) changes.push({ path, what: "missing" });
  }
  return changes;
}

function without(
  requests: readonly CapabilityRequest[],
  others: readonly CapabilityRequest[],
): CapabilityRequest[] {
  const known = new Set(others.map((request) => canonicalJson(request)));
  return requests.filter((request) => !known.has(canonicalJson(request)));
}
