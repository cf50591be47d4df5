import { dirname, join } from "node:path";

/** Entries of a folder that are looked at before its own name is tried. */
const MAX_TRIES = 16;

/**
 * True when the volume of `dir` treats `Name` and `name` as one file. Found by looking an existing entry up in the other
 * case, so nothing is written; a folder that does not exist is judged by its nearest existing parent. Without any name
 * that has letters the system's habit decides (macOS and Windows fold).
 */
export function foldsCase(dir: string): boolean {
  for (let folder = dir;; folder = dirname(folder)) {
    const answer = probe(folder);
    if (answer !== undefined) return answer;
    if (dirname(folder) === folder) return Deno.build.os === "darwin" || Deno.build.os === "windows";
  }
}

/** One key for all spellings of a name that a folding volume takes as one. Only for comparisons that refuse. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

function probe(folder: string): boolean | undefined {
  let tries = 0;
  try {
    for (const entry of Deno.readDirSync(folder)) {
      const answer = sameInOtherCase(folder, entry.name);
      if (answer !== undefined) return answer;
      if (++tries >= MAX_TRIES) break;
    }
  } catch {
    // missing or closed to this process: a parent answers
  }
  return undefined;
}

function sameInOtherCase(folder: string, name: string): boolean | undefined {
  const other = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
  if (other === name) return undefined;
  try {
    const a = Deno.lstatSync(join(folder, name));
    const b = Deno.lstatSync(join(folder, other));
    return a.dev === b.dev && a.ino === b.ino;
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? false : undefined;
  }
}
