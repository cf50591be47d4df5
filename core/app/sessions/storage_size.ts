import { join } from "node:path";
import type { StorageAmount } from "../../cli/mod.ts";

/** Files in a folder, at any depth, and their bytes; links are counted and not followed. Nothing when it is not there. */
export function folderSize(path: string): StorageAmount {
  const total = { count: 0, bytes: 0 };
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(path)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return total;
    throw error;
  }
  for (const entry of entries) {
    const inside = join(path, entry.name);
    const { count, bytes } = entry.isDirectory ? folderSize(inside) : { count: 1, bytes: fileSize(inside) };
    total.count += count;
    total.bytes += bytes;
  }
  return total;
}

/** Bytes of a file, or of the files in a folder. */
export function sizeOf(path: string): number {
  return isFolder(path) ? folderSize(path).bytes : fileSize(path);
}

function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false; // gone, or out of reach: it counts as nothing
  }
}

/** Bytes of a file, 0 when there is none. */
export function fileSize(path: string): number {
  try {
    return Deno.lstatSync(path).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}
