import { join } from "node:path";
import { makePrivateDirectory } from "../../../app_root/mod.ts";
import { errorMessage, loadNativeHash, sha256, writeFileAtomic } from "../../../base/mod.ts";
import { exists } from "./legacy_files.ts";
import type { LegacyFile } from "./legacy_files.ts";

/** A source that has been copied, or why it could not be. */
export interface BackedUp {
  name: LegacyFile;
  sha256: string;
  bytes: number;
  /** The verified copy; undefined when there is a problem. */
  copy?: string;
  problem: string | null;
}

/**
 * Copies each file into `to` and reads the copy back. A copy that is there already and differs is kept beside it, so an
 * import that was cut off and begins again loses nothing. Throws what the file system throws when `to` cannot be written.
 */
export async function backupSources(
  from: string,
  names: readonly LegacyFile[],
  to: string,
): Promise<BackedUp[]> {
  makePrivateDirectory(to);
  await loadNativeHash();
  return names.map((name) => {
    const source = join(from, name);
    let data: Uint8Array;
    try {
      if (!Deno.lstatSync(source).isFile) {
        return { name, sha256: "", bytes: 0, problem: "it is not a plain file" };
      }
      data = Deno.readFileSync(source);
    } catch (error) {
      return { name, sha256: "", bytes: 0, problem: `it cannot be read: ${errorMessage(error)}` };
    }
    const hash = sha256(data);
    const copy = join(to, name);
    if (!exists(copy) || hashOf(copy) !== hash) {
      if (exists(copy)) Deno.renameSync(copy, `${copy}.${hashOf(copy).slice(0, 12)}`);
      writeFileAtomic(copy, data);
      if (hashOf(copy) !== hash) throw new Error(`the copy ${copy} does not equal ${source}`);
    }
    return { name, sha256: hash, bytes: data.length, copy, problem: null };
  });
}

function hashOf(path: string): string {
  return sha256(Deno.readFileSync(path));
}
