import { dirname } from "node:path";
import { isInside } from "../../files/mod.ts";
import type { HiddenPlace } from "../../../plugins/tools_shell/mod.ts";

/**
 * What of `places` is there, by its real path, and not granted; and what of `granted` lies inside one of them and stays open.
 * Looked up anew for each command: a few dozen calls that find nothing.
 */
export function hiddenPlaces(
  places: readonly string[],
  granted: readonly string[],
): { hidden: HiddenPlace[]; open: string[] } {
  const open = granted.flatMap((path) => realPlace(path)?.path ?? []);
  const hidden: HiddenPlace[] = [];
  for (const place of places) {
    const real = realPlace(place);
    if (real === undefined || open.some((path) => isInside(path, real.path))) continue;
    if (!hidden.some(({ path }) => path === real.path)) hidden.push(real);
  }
  return { hidden, open: open.filter((path) => hidden.some((place) => isInside(place.path, path))) };
}

/**
 * Without most places that are not there: a look at each costs an error, and nearly all are missing. Folders are listed instead,
 * parents first. What cannot be told stays, and so does a name in another case, for volumes that fold it.
 */
export function likelyPlaces(places: readonly string[]): string[] {
  const lists = new Map<string, ReadonlySet<string> | undefined>();
  const list = (folder: string): ReadonlySet<string> | undefined => {
    if (lists.has(folder)) return lists.get(folder);
    const names = folder === "/" || likely(folder) ? namesIn(folder) : new Set<string>();
    lists.set(folder, names);
    return names;
  };
  const likely = (path: string): boolean =>
    list(dirname(path))?.has(folded(path.slice(path.lastIndexOf("/") + 1))) ?? true;
  return places.filter(likely);
}

/** Undefined where that cannot be told. */
function namesIn(folder: string): ReadonlySet<string> | undefined {
  try {
    return new Set([...Deno.readDirSync(folder)].map(({ name }) => folded(name)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return new Set();
    if (error instanceof Deno.errors.PermissionDenied) return undefined;
    throw error;
  }
}

function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** Those of `places` that are there and lie inside of `root`, a real path, by the names that they have in the list. */
export function placesInside(places: readonly string[], root: string): string[] {
  return places.filter((place) => {
    const real = realPlace(place)?.path;
    return real !== undefined && real !== root && isInside(root, real);
  });
}

/** Caches and stores that tools share with projects by hard links, which end where another mount begins. */
const LINKED_FROM = ["/.cache", "/.local", "/.local/share"];

/**
 * The folders between the home folder and hidden places: renamed, they would show under another name what is hidden under this
 * one. All paths are real ones. Those that tools link from stay as they are, so that installing takes no copies.
 */
export function pinnedFolders(hidden: readonly HiddenPlace[], home: string): string[] {
  const folders = new Set<string>();
  for (const { path } of hidden) {
    if (!isInside(home, path)) continue;
    for (let at = dirname(path); at.length > home.length; at = dirname(at)) folders.add(at);
  }
  return [...folders].filter((path) => !LINKED_FROM.includes(path.slice(home.length)));
}

/** The place without links, as far as it is there. */
export function realHome(home: string): string {
  return realPlace(home)?.path ?? home;
}

/** Undefined for what is not there, and for what this user cannot reach: no child of theirs can either. */
function realPlace(path: string): HiddenPlace | undefined {
  try {
    const info = Deno.lstatSync(path);
    if (!info.isSymlink && !info.isDirectory && !info.isFile) return undefined;
    const real = Deno.realPathSync(path);
    return { path: real, dir: info.isSymlink ? Deno.statSync(real).isDirectory : info.isDirectory };
  } catch (error) {
    if (
      error instanceof Deno.errors.NotFound || error instanceof Deno.errors.PermissionDenied ||
      error instanceof Deno.errors.NotADirectory || error instanceof Deno.errors.FilesystemLoop
    ) return undefined;
    throw error;
  }
}
