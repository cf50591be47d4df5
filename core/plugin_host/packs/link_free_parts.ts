import { join } from "node:path";
import { isInside } from "../../files/mod.ts";

/** Entries of a folder that are looked at; a larger one is not granted. */
const MAX_ENTRIES = 100_000;
/** Paths that one grant may come apart into. */
const MAX_PARTS = 500;

/**
 * What of a path may be granted although Deno follows links: the whole when no link below it leads out of it, else the
 * files and folders beside those links. Empty when it is too large to look at, or comes apart into too many pieces; then
 * the host's `fs` service, which follows links before it judges, is the way. Paths are real paths; what is not there is
 * granted as it stands. Entries that are `closed` by their name are left out like such links.
 */
export function linkFreeParts(path: string, closed: (name: string) => boolean = () => false): string[] {
  let info: Deno.FileInfo;
  try {
    info = Deno.lstatSync(path);
  } catch {
    return [path]; // nothing is there: what may be made at this very path was judged
  }
  if (info.isSymlink) return [];
  if (!info.isDirectory) return [path];
  try {
    const all = partsOf(path, { root: path, left: MAX_ENTRIES, folders: true, closed });
    if (all.length === 1 && all[0] === path) return all;
    // some link leads out: a link to a folder beside it may lead there, and so out by two steps
    const parts = partsOf(path, { root: path, left: MAX_ENTRIES, folders: false, closed });
    return parts.length > MAX_PARTS ? [] : parts;
  } catch (error) {
    if (error instanceof TooLarge) return [];
    throw error;
  }
}

/**
 * What of a folder may be written by a call of which nobody knows what it writes: everything that lies in it, but never the
 * folder itself, so that nothing can be added beside, and no entry that is `closed` by its name.
 */
export function writableParts(folder: string, closed: (name: string) => boolean): string[] {
  let names: string[];
  try {
    names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return []; // gone or closed: nothing in it is to be changed
  }
  const parts = names.filter((name) => !closed(name)).flatMap((name) =>
    linkFreeParts(join(folder, name), closed)
  );
  return parts.length > MAX_PARTS ? [] : parts;
}

class TooLarge extends Error {}

interface Walk {
  root: string;
  /** Entries that may still be looked at. */
  left: number;
  /** Whether a link to a folder inside `root` may stay. */
  folders: boolean;
  closed(name: string): boolean;
}

/** `[folder]` when it holds no way out, else what can be granted of it. */
function partsOf(folder: string, walk: Walk): string[] {
  const parts: string[] = [];
  let whole = true;
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(folder)];
  } catch {
    return []; // not to be looked into: not to be granted
  }
  walk.left -= entries.length;
  if (walk.left < 0) throw new TooLarge();
  for (const { name, isSymlink, isDirectory } of entries) {
    const path = join(folder, name);
    if (walk.closed(name)) {
      whole = false;
      continue;
    }
    if (isSymlink) {
      if (leadsOut(path, walk)) whole = false;
      else parts.push(path);
    } else if (isDirectory) {
      const below = partsOf(path, walk);
      if (below.length !== 1 || below[0] !== path) whole = false;
      parts.push(...below);
    } else parts.push(path);
  }
  return whole ? [folder] : parts;
}

/** A link that leads nowhere leads out too: whoever writes through it makes what it names. */
function leadsOut(link: string, { root, folders }: Walk): boolean {
  try {
    const target = Deno.realPathSync(link);
    return !isInside(root, target) || (!folders && Deno.statSync(target).isDirectory);
  } catch {
    return true;
  }
}
