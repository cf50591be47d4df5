import { dirname } from "node:path";
import * as z from "zod";
import { makePrivateDirectory } from "../../app_root/mod.ts";
import { errorMessage, LuminaError, writeFileAtomic } from "../../base/mod.ts";
import type { CapabilityRequest } from "../../plugin_api/mod.ts";
import { capabilityRequest } from "../manifest_schema_capability.ts";

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
  /** What a person has granted. */
  granted: CapabilityRequest[];
  enabled: boolean;
  /** ISO time. */
  installed_at: string;
  /** Why it was switched off. */
  disabled_reason?: string;
}

const packRecord = () =>
  z.object({
    version: z.string(),
    source: z.object({ kind: z.enum(["path", "archive", "npm", "git"]), value: z.string() }),
    files: z.record(z.string(), z.string()),
    stamps: z.record(z.string(), z.string()).default({}),
    manifest_hash: z.string(),
    granted: z.array(capabilityRequest()),
    enabled: z.boolean(),
    installed_at: z.string(),
    disabled_reason: z.string().exactOptional(),
  });

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
      const { version, packs } = z.object({ version: z.number(), packs: z.record(z.string(), z.unknown()) })
        .parse(JSON.parse(text));
      if (version !== 1) return this.#damaged(`it has version ${version}, this Lumina knows 1`);
      const schema = packRecord();
      const read = new Map<string, PackRecord>();
      const broken: string[] = [];
      for (const [id, value] of Object.entries(packs)) {
        const { data } = schema.safeParse(value);
        if (data === undefined) broken.push(id);
        else read.set(id, data);
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
