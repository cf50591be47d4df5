import { join } from "node:path";
import { hidesSomething, quoted } from "../quoted.ts";
import { loadNativeHash, LuminaError, sha256 } from "../../base/mod.ts";

/** Files of one pack; more is no plugin. */
export const MAX_PACK_FILES = 5_000;
/** Folders in folders of one pack. */
const MAX_DEPTH = 32;

/**
 * Paths of all files below `directory`, relative with `/`, sorted. Throws `plugin.bad_file` for a link, a device or a
 * name that a person would not see as it is. */
export function listPackFiles(directory: string, name: string): string[] {
  const files: string[] = [];
  const walk = (folder: string, depth: number): void => {
    for (const entry of Deno.readDirSync(folder === "" ? directory : join(directory, folder))) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (hidesSomething(entry.name)) throw badFile(name, quoted(path), undefined);
      if (entry.isDirectory && depth < MAX_DEPTH) walk(path, depth + 1);
      else if (entry.isFile && files.length < MAX_PACK_FILES) files.push(path);
      else throw badFile(name, path, entry);
    }
  };
  walk("", 0);
  return files.sort();
}

function badFile(name: string, path: string, entry: Deno.DirEntry | undefined): LuminaError {
  const why = entry === undefined
    ? "has a control or invisible character in its name"
    : entry.isSymlink
    ? "is a link, and a pack holds plain files only"
    : entry.isFile
    ? `is one file more than the ${MAX_PACK_FILES} that a pack may have`
    : entry.isDirectory
    ? `lies more than ${MAX_DEPTH} folders deep`
    : "is no plain file";
  return new LuminaError("plugin.bad_file", `Pack "${name}": ${path} ${why}`);
}

/** SHA-256 of every file of a pack. Throws `plugin.bad_file`, or what the file system throws. */
export async function hashPackFiles(directory: string, name: string): Promise<Record<string, string>> {
  await loadNativeHash();
  const files = listPackFiles(directory, name);
  return Object.fromEntries(files.map((path) => [path, sha256(Deno.readFileSync(join(directory, path)))]));
}

/**
 * What a file looks like without being read: size, times, inode. Equal stamps stand for equal bytes at a start; what runs
 * is hashed whole before.
 */
export function fileStamp(path: string): string {
  const { size, mtime, ctime, ino } = Deno.lstatSync(path);
  return `${size} ${mtime?.getTime() ?? 0} ${ctime?.getTime() ?? 0} ${ino ?? 0}`;
}

/** Stamps of the files of a pack. */
export function packStamps(directory: string, files: Iterable<string>): Record<string, string> {
  return Object.fromEntries([...files].map((path) => [path, fileStamp(join(directory, path))]));
}

/** How the files of a pack differ from the approved ones, by name; undefined when they do not. */
export interface PackChange {
  path: string;
  what: "changed" | "added" | "missing";
}

/**
 * Compares a folder with approved hashes. A file whose stamp is the recorded one is not read. Gives the differences; where
 * there is none and a stamp was out of date, as after a restored backup, the stamps that stand for the same bytes now.
 */
export function comparePackFiles(
  directory: string,
  name: string,
  approved: Readonly<Record<string, string>>,
  stamps: Readonly<Record<string, string>>,
): { changes: PackChange[]; renewed?: Record<string, string> } {
  const changes: PackChange[] = [];
  const renewed: Record<string, string> = {};
  let stale = false;
  const present = new Set(listPackFiles(directory, name));
  for (const path of present) {
    const hash = approved[path];
    if (hash === undefined) {
      changes.push({ path, what: "added" });
      continue;
    }
    const stamp = fileStamp(join(directory, path)); // before the bytes: a later change does not fit it
    renewed[path] = stamp;
    if (stamps[path] === stamp) continue;
    stale = true;
    if (sha256(Deno.readFileSync(join(directory, path))) !== hash) changes.push({ path, what: "changed" });
  }
  for (const path of Object.keys(approved)) if (!present.has(path)) changes.push({ path, what: "missing" });
  return stale && changes.length === 0 ? { changes, renewed } : { changes };
}
