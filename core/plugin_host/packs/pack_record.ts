import { dirname } from "node:path";
import { makePrivateDirectory } from "../../app_root/mod.ts";
import { errorMessage, LuminaError, writeFileAtomic } from "../../base/mod.ts";
import type { CapabilityRequest } from "../../plugin_api/mod.ts";
import { isJsonObject } from "../../types/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";

/** Where a pack was installed from. */
export interface PackSource {
  kind: "path" | "archive" | "npm" | "git";
  value: string;
}

/** What is kept of an approved pack. */
export interface PackRecord {
  version: string;
  source: PackSource;
  /** SHA-256 of every file by path relative to the pack. */
  files: Record<string, string>;
  /** What each file looked like then; see `fileStamp`. */
  stamps: Record<string, string>;
  /** SHA-256 of `manifest.json`. */
  manifest_hash: string;
  /** The version of Lumina that checked the manifest against its schema. */
  checked_by: string;
  /** What a person has granted. */
  granted: CapabilityRequest[];
  /** What a person has let its hooks do; see `hookApproval`. Absent: it had none. */
  hooks?: string[];
  enabled: boolean;
  /** ISO time. */
  installed_at: string;
  /** Why it was switched off. */
  disabled_reason?: string;
}

/** By hand: a start reads this before its first request, and no schema has to be made for it. */
function isRecord(value: Json | undefined): value is JsonObject & PackRecord {
  if (!isJsonObject(value)) return false;
  const { version, source, files, stamps, manifest_hash, granted, enabled, installed_at, checked_by, hooks } =
    value;
  return [version, manifest_hash, installed_at, checked_by].every((text) => typeof text === "string") &&
    typeof enabled === "boolean" && isTexts(files) && isTexts(stamps) && isTexts(source) &&
    ["path", "archive", "npm", "git"].includes(source["kind"] ?? "") &&
    // what is granted counts only where it equals what a checked manifest asks for
    Array.isArray(granted) &&
    granted.every((request) => typeof request === "string" || isJsonObject(request)) &&
    (hooks === undefined || (Array.isArray(hooks) && hooks.every((hook) => typeof hook === "string")));
}

function isTexts(value: Json | undefined): value is Record<string, string> {
  return isJsonObject(value) && Object.values(value).every((text) => typeof text === "string");
}

/** What a record file holds; a damaged one holds nothing and says so. */
export interface RecordsRead {
  packs: ReadonlyMap<string, PackRecord>;
  /** What cannot be read, one line. */
  problem?: string;
}

/** Approved packs of one scope, in one file (0600) that is replaced as a whole. */
export class PackRecords {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  /** Never throws: without a readable record no pack is granted. */
  read(): RecordsRead {
    let text: string;
    try {
      text = Deno.readTextFileSync(this.file);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return { packs: new Map() };
      return this.#damaged(errorMessage(error));
    }
    try {
      const json: Json = JSON.parse(text);
      const packs = isJsonObject(json) ? json["packs"] : undefined;
      if (!isJsonObject(json) || !isJsonObject(packs)) return this.#damaged("it is no record of plugins");
      if (json["version"] !== 1) {
        return this.#damaged(`it has version ${JSON.stringify(json["version"])}, this Lumina knows 1`);
      }
      const read = new Map<string, PackRecord>();
      const broken: string[] = [];
      for (const [id, value] of Object.entries(packs)) {
        if (isRecord(value)) read.set(id, value);
        else broken.push(id);
      }
      if (broken.length === 0) return { packs: read };
      return { packs: read, problem: this.#problem(`what it says of ${broken.join(", ")} cannot be read`) };
    } catch {
      return this.#damaged("it is no record of plugins"); // the place in a torn file helps nobody
    }
  }

  /**
   * Changes the records: reads them again under a lock, so that two processes lose nothing of each other. A damaged file is
   * kept beside the new one as `<file>.damaged`. Throws `plugin.record` when it cannot be written.
   */
  update(change: (packs: Map<string, PackRecord>) => void): void {
    try {
      makePrivateDirectory(dirname(this.file));
      using lock = Deno.openSync(`${this.file}.lock`, { write: true, create: true, mode: 0o600 });
      lock.lockSync(true); // goes with the file, whatever way this process ends
      const { packs, problem } = this.read();
      if (problem !== undefined) Deno.copyFileSync(this.file, `${this.file}.damaged`);
      const next = new Map(packs);
      change(next);
      const sorted = [...next].sort(([a], [b]) => (a < b ? -1 : 1));
      const body = { version: 1, packs: Object.fromEntries(sorted) };
      writeFileAtomic(this.file, `${JSON.stringify(body, null, 2)}\n`);
    } catch (error) {
      throw new LuminaError(
        "plugin.record",
        `Cannot write the record of plugins ${this.file}: ${errorMessage(error)}`,
        { cause: error },
      );
    }
  }

  #damaged(why: string): RecordsRead {
    return { packs: new Map(), problem: this.#problem(why) };
  }

  #problem(why: string): string {
    return `${this.file}: ${why}; those plugins count as not granted (lumina plugin trust ID grants one again)`;
  }
}
