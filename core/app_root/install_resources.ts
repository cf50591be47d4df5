import { join } from "node:path";
import { makePrivateDirectory } from "./private_directory.ts";

/** The folders of the embedded resources that a user may look at and copy. */
const INSTALLED = ["skills", "teams"];

/**
 * Copies the embedded skills and teams to `<app>/resources`: first whole into a staging folder, then one rename, so
 * that no start ever sees half a copy. A folder of an earlier version is moved aside before and removed after. Throws
 * what the file system throws; what was there then still is.
 */
export function installResources(embedded: string, app_dir: string, tag: string): void {
  const target = join(app_dir, "resources");
  const staging = join(app_dir, `.resources-${tag}.tmp`);
  const old = join(app_dir, `.resources-${tag}.old`);
  try {
    makePrivateDirectory(staging);
    for (const name of INSTALLED) copyTree(join(embedded, name), join(staging, name));
    const replaced = rename(target, old);
    try {
      Deno.renameSync(staging, target);
    } catch (error) {
      if (exists(target)) return; // another start has just put the same bytes there
      if (replaced) Deno.renameSync(old, target);
      throw error;
    }
  } finally {
    removeTree(staging);
    removeTree(old);
  }
}

/** Copies files and folders; links and devices are none of ours. An absent source is an empty one. */
function copyTree(source: string, target: string): void {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(source)];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw error;
  }
  Deno.mkdirSync(target, { recursive: true, mode: 0o700 });
  for (const entry of entries) {
    const from = join(source, entry.name);
    const to = join(target, entry.name);
    if (entry.isDirectory) copyTree(from, to);
    else if (entry.isFile) Deno.writeFileSync(to, Deno.readFileSync(from), { mode: 0o600 });
  }
}

/** True when something is at `path` and can be looked at. */
export function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    // absent or out of reach: the caller goes the long way, which says why
    return false;
  }
}

/** Moves `from` to `to`; false when there is nothing to move. */
function rename(from: string, to: string): boolean {
  try {
    Deno.renameSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function removeTree(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch {
    // absent in the usual case; a rest that cannot be removed has a name of its own and harms nothing
  }
}
