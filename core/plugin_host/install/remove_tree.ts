import { dirname } from "node:path";

/** Removes a file, a link or a folder with all in it; what is absent is fine. Throws what else the file system throws. */
export function removeTree(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Removes a folder and those above it while they are empty, up to the ones in `keep`. */
export function removeEmpty(folder: string, keep: readonly string[]): void {
  for (let path = folder; !keep.includes(path) && dirname(path) !== path; path = dirname(path)) {
    try {
      Deno.removeSync(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) return; // not empty, or not ours to remove
    }
  }
}
