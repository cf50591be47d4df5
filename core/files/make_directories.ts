import { lstat, mkdir, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { fileError, systemCode } from "./file_error.ts";
import { moved } from "./open_checked.ts";

/**
 * Makes the missing directories of `directory`, an absolute path whose existing part is resolved, one at a time and
 * each only while the one above it is still reached without a link.
 */
export async function makeDirectories(directory: string): Promise<void> {
  const missing: string[] = [];
  try {
    for (let path = directory; !(await isDirectory(path)); path = dirname(path)) {
      if (path === dirname(path)) break;
      missing.unshift(path);
    }
    for (const path of missing) {
      if (await realpath(dirname(path)) !== dirname(path)) throw moved("create", path);
      await mkdir(path).catch(async (error) => {
        if (!(await isDirectory(path))) throw error; // else somebody else made it just now
      });
    }
  } catch (error) {
    throw fileError("create", directory, error);
  }
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    const stats = await lstat(path);
    if (stats.isDirectory()) return true;
    if (stats.isSymbolicLink()) throw moved("create", path);
    throw Object.assign(new Error("not a directory"), { code: "ENOTDIR" });
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}
