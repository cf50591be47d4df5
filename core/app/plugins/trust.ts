import { join } from "node:path";
import type { AppRootPaths, ProjectIdentity } from "../../app_root/mod.ts";
import { canonicalJson, errorMessage, LuminaError, sha256 } from "../../base/mod.ts";
import type { World } from "../../base/mod.ts";
import type { TrustItem, TrustReport } from "../../cli/mod.ts";
import { projectSettings } from "../../config/mod.ts";
import { isInside } from "../../files/mod.ts";
import type { PackRecord, PackReview } from "../../plugin_host/packs/mod.ts";
import { hasHookFile } from "../hooks/hook_files.ts";
import { VERSION } from "../version.ts";
import { TrustFile } from "./trust_file.ts";

type PackModule = typeof import("../../plugin_host/packs/mod.ts");

/** What one pack of a project may weigh; more is not looked at. */
const MAX_PACK_BYTES = 64 * 1024 * 1024;
const MAX_PACKS = 100;
/** Characters of what one pack asks for, and of one setting: nobody is asked about what they are not shown whole. */
const MAX_SHOWN = 10_000;

/** A look at a project: the report for a person, and what an answer about it would be kept with. */
export interface TrustLook {
  report: TrustReport;
  /** Packs that are not approved as they are, with the bytes that were shown. */
  reviews: { review: PackReview; directory: string; record: PackRecord | undefined }[];
}

/** What a project brings for this machine and whether a person has trusted it, in one app root. */
export class ProjectTrust {
  readonly #project: ProjectIdentity;
  readonly #world: World;
  readonly #file: TrustFile;
  readonly #records_file: string;

  constructor(app_root: AppRootPaths, project: ProjectIdentity, world: World) {
    this.#project = project;
    this.#world = world;
    this.#file = new TrustFile(app_root, project.id);
    this.#records_file = join(app_root.projectDir(project.id), "plugins.json");
  }

  /** Reads everything that the project brings once. What cannot be looked at is a problem, never an item. */
  async look(): Promise<TrustLook> {
    const decision = this.#file.read();
    const revoked = decision?.decision === "revoked";
    const items: TrustItem[] = [];
    const problems: string[] = [];
    const reviews: TrustLook["reviews"] = [];
    const folders = packFolders(this.#project.root, problems);
    // most projects bring none: nothing is loaded for them
    const packs = folders.length === 0 ? undefined : await import("../../plugin_host/packs/mod.ts");
    const records = packs && new packs.PackRecords(this.#records_file).read().packs;
    for (const { name, directory } of folders) {
      if (packs === undefined || records === undefined) break;
      try {
        const record = records.get(name);
        const review = await lookAtPack(packs, this.#project.root, directory, name, record);
        const lines = packLines(packs, review);
        const same = !review.fresh &&
          [review.changes, review.added, review.removed].every((list) => list.length === 0);
        const state = same && !revoked ? "trusted" : record === undefined || same ? "new" : "changed";
        items.push({
          kind: "plugin",
          name,
          lines,
          hash: packs.packHash(review),
          state,
        });
        if (!same) reviews.push({ review, directory, record });
      } catch (error) {
        problems.push(oneLine(errorMessage(error)));
      }
    }
    const answered = new Map(
      decision?.items.filter(({ kind }) => kind === "setting").map(({ name, hash }) => [name, hash]),
    );
    for (const { key, value, hash } of await projectSettings(this.#project.root)) {
      const before = answered.get(key);
      const state = before === hash && !revoked
        ? "trusted"
        : before === undefined || revoked
        ? "new"
        : "changed";
      const text = JSON.stringify(value);
      if (text.length > MAX_SHOWN) {
        problems.push(
          `Setting ${key}: its value has ${text.length} characters, and at most ${MAX_SHOWN} are looked at`,
        );
        continue;
      }
      items.push({ kind: "setting", name: key, lines: wholeLines(text), hash, state });
    }
    if (hasHookFile(this.#project.root)) await this.#lookAtHooks(items, problems);
    const hash = sha256(canonicalJson(items.map(({ kind, name, hash }) => ({ kind, name, hash }))));
    return {
      report: {
        project: this.#project.root,
        items,
        problems,
        hash,
        decided_at: decision?.decided_at ?? null,
      },
      reviews,
    };
  }

  /** Keeps a yes to exactly what was looked at, whatever has become of the files meanwhile. */
  async accept({ report, reviews }: TrustLook): Promise<void> {
    const now = this.#world.now();
    if (reviews.length > 0) {
      const { approvedRecord, PackRecords } = await import("../../plugin_host/packs/mod.ts");
      new PackRecords(this.#records_file).update((packs) => {
        for (const { review, directory, record } of reviews) {
          const source = record?.source ?? { kind: "path" as const, value: directory };
          packs.set(review.id, {
            ...approvedRecord(review, source, now, VERSION),
            ...(record === undefined ? {} : { enabled: record.enabled }),
          });
        }
      });
    }
    this.#write("trusted", report);
  }

  /** Takes the trust back; false where nothing was trusted. */
  async revoke(): Promise<boolean> {
    const decision = this.#file.read();
    const { report } = await this.look();
    const trusted = decision?.decision === "trusted" || report.items.some(({ state }) => state === "trusted");
    if (trusted) this.#write("revoked", report);
    return trusted;
  }

  /** What settings of the project count: the hashes of the values that were looked at, by key. */
  trustedSettings(): ReadonlyMap<string, string> {
    return this.#file.trustedSettings();
  }

  /** Each hook by itself: a hook that has changed in any way is another one. */
  async #lookAtHooks(items: TrustItem[], problems: string[]): Promise<void> {
    const { projectHookLines, projectHooks } = await import("../hooks/project_hooks.ts");
    const found = await projectHooks(this.#project.root);
    problems.push(...found.problems.map(oneLine));
    const decision = this.#file.read();
    const trusted = this.#file.trustedHooks();
    const known = new Set(decision?.items.filter(({ kind }) => kind === "hook").map(({ name }) => name));
    for (const hook of found.hooks) {
      const { name, hash } = hook;
      const lines = projectHookLines(hook);
      const chars = lines.join().length;
      if (chars > MAX_SHOWN) {
        problems.push(`Hook ${name}: it has ${chars} characters, and at most ${MAX_SHOWN} are looked at`);
        continue;
      }
      const changed = decision?.decision === "trusted" && known.has(name);
      const state = trusted.has(hash) ? "trusted" : changed ? "changed" : "new";
      items.push({ kind: "hook", name, lines: lines.flatMap(wholeLines), hash, state });
    }
  }

  #write(decision: "trusted" | "revoked", { hash, items }: TrustReport): void {
    this.#file.write({
      decision,
      hash,
      decided_at: new Date(this.#world.now()).toISOString(),
      items: items.map(({ kind, name, hash, lines }) => ({ kind, name, hash, lines })),
    });
  }
}

function packFolders(root: string, problems: string[]): { name: string; directory: string }[] {
  const folder = join(root, ".Lumina", "plugins");
  const found: { name: string; directory: string }[] = [];
  try {
    for (const { name, isDirectory, isSymlink } of Deno.readDirSync(folder)) {
      if (name.startsWith(".")) continue;
      if (isSymlink) problems.push(oneLine(`Pack "${name}": ${join(folder, name)} is a link`));
      else if (isDirectory && found.length < MAX_PACKS) found.push({ name, directory: join(folder, name) });
      else if (isDirectory) {
        problems.push(`${folder} holds more than ${MAX_PACKS} packs: the others are not looked at`);
        break;
      }
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) {
      problems.push(oneLine(`Cannot look for plugins in ${folder}: ${errorMessage(error)}`));
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Reads a pack whole. Throws for one that lies elsewhere, is too large, or is none. */
async function lookAtPack(
  { capabilityWords, hookWords, listPackFiles, reviewPack }: PackModule,
  root: string,
  directory: string,
  name: string,
  record: PackRecord | undefined,
): Promise<PackReview> {
  const real = await Deno.realPath(directory);
  if (!isInside(root, real)) {
    throw new LuminaError(
      "plugin.outside",
      `Pack "${name}": its folder lies outside of the project, at ${real}`,
    );
  }
  let bytes = 0;
  for (const path of listPackFiles(real, name)) bytes += (await Deno.lstat(join(real, path))).size;
  if (bytes > MAX_PACK_BYTES) {
    throw new LuminaError(
      "plugin.too_large",
      `Pack "${name}": it has ${bytes} bytes, and at most ${MAX_PACK_BYTES} are looked at`,
    );
  }
  const review = await reviewPack(real, name, record);
  const hooks = [...review.added_hooks, ...review.known_hooks].map((hook) => hookWords(hook, true));
  const asked =
    [...[...review.manifest.capabilities, ...review.removed].map(capabilityWords), ...hooks].join()
      .length;
  if (asked > MAX_SHOWN) {
    throw new LuminaError(
      "plugin.too_large",
      `Pack "${name}": what it asks for has ${asked} characters, and at most ${MAX_SHOWN} are looked at`,
    );
  }
  return review;
}

function packLines(
  { capabilityWords, hookWords }: PackModule,
  { manifest, changes, added, removed, added_hooks, known_hooks, fresh }: PackReview,
): string[] {
  const files = fresh ? [] : changes.map(({ path, what }) => `${path} ${WHAT[what]}`);
  const shown = files.length > 20 ? [...files.slice(0, 20), `and ${files.length - 20} more files`] : files;
  const asks = manifest.capabilities.map((request) =>
    `may ${capabilityWords(request)}${!fresh && added.includes(request) ? " (NEW)" : ""}`
  );
  return [
    `version ${manifest.version}: ${manifest.title}`,
    ...asks.length > 0 ? asks : ["asks for nothing beyond what every plugin has"],
    ...known_hooks.map((hook) => `hook: ${hookWords(hook, true)}`),
    ...added_hooks.map((hook) => `hook: ${hookWords(hook, true)}${fresh ? "" : " (NEW)"}`),
    ...removed.map((request) => `no longer asks to ${capabilityWords(request)}`),
    ...shown,
  ].flatMap(wholeLines);
}

const WHAT = { changed: "has changed", added: "is new", missing: "is missing" } as const;

/** Text of a project on one line, without what a terminal would obey and of bounded length. */
function oneLine(text: string): string {
  const shown = withoutControls(text);
  return shown.length > 300 ? `${shown.slice(0, 300)}…` : shown;
}

/** The same with nothing left out, on as many lines as it takes: what is decided on may stand at its end. */
function wholeLines(text: string): string[] {
  return withoutControls(text).match(/.{1,300}/gsu) ?? [];
}

function withoutControls(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`,
  );
}
