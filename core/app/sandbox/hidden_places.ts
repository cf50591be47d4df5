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
