import { dirname, join } from "node:path";
import { isInside } from "../../core/files/mod.ts";
import type { ToolContext } from "../../core/plugin_api/mod.ts";
import { isDenied } from "./judged_path.ts";

/** Entries of a folder that are compared. */
const COMPARED = 5000;

/**
 * For a path that does not exist: which folder of it does, and the names there that are most like the missing one.
 * Looks only into folders that the call may read.
 */
export async function nearestNames(context: ToolContext, path: string): Promise<string> {
  for (
    let missing = path, folder = dirname(path);
    folder !== missing;
    missing = folder, folder = dirname(folder)
  ) {
    if (
      !context.read_roots.some((root) => isInside(root, folder)) || isDenied(context, folder, "read", true)
    ) break;
    const names = await namesIn(folder);
    if (names === null) continue;
    const wanted = missing.slice(folder.length).replace(/^[\\/]/, "");
    const near = names.map((name) => ({ name, distance: distance(name, wanted) }))
      .filter((entry) => entry.distance < 0.5)
      .sort((one, other) => one.distance - other.distance || (one.name < other.name ? -1 : 1))
      .slice(0, 3)
      .map((entry) => join(folder, entry.name));
    const where = folder === dirname(path) ? "" : `the folder ${missing} does not exist; `;
    return near.length > 0
      ? `${where}did you mean ${near.join(" or ")}?`
      : `${where}List shows what is in ${folder}`;
  }
  return "List or Glob show what there is";
}

async function namesIn(folder: string): Promise<string[] | null> {
  const names: string[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) {
      names.push(entry.name);
      if (names.length >= COMPARED) break;
    }
  } catch {
    return null; // missing or closed: the folder above is asked next, and the hint is all that depends on it
  }
  return names;
}

/** 0 for the same name but for case, up to 1: edit distance over the longer length, or how much a prefix leaves out. */
function distance(one: string, other: string): number {
  const a = one.toLowerCase();
  const b = other.toLowerCase();
  const longest = Math.max(a.length, b.length);
  if (a === b || longest === 0) return 0;
  const stem = (name: string) => name.replace(/(.)\.[^.]*$/, "$1");
  if (stem(a) === stem(b)) return 0.2;
  if (Math.abs(a.length - b.length) > longest / 2) return 1;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return (row[b.length] ?? longest) / longest;
}
