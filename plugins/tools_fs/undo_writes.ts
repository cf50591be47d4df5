import { readChecked, type WholeFile } from "../../core/files/mod.ts";
import type { ToolContext } from "../../core/plugin_api/mod.ts";
import { commitFile, EDIT_LIMIT } from "./commit_file.ts";
import type { JudgedPath } from "./judged_path.ts";

/** A file as a call has left it: its hash, null where it is gone; and what stood there before, null for nothing. */
export interface Written {
  judged: JudgedPath;
  sha256: string | null;
  before: WholeFile | null;
}

/**
 * Puts files back as they were, the last first. One that somebody else has changed meanwhile is left alone. Gives the names of
 * those that are not as before.
 */
export async function undoWrites(context: ToolContext, written: readonly Written[]): Promise<string[]> {
  const left: string[] = [];
  // what was begun is put back although the call was interrupted
  const calm = { ...context, signal: new AbortController().signal };
  for (const { judged, sha256, before } of written.toReversed()) {
    try {
      if (sha256 === null) {
        if (before !== null) await commitFile(calm, judged, before.bytes, null);
        continue;
      }
      const now = await readChecked(judged.path, EDIT_LIMIT);
      if (now.sha256 !== sha256) left.push(judged.shown);
      else if (before === null) await Deno.remove(judged.path);
      else await commitFile(calm, judged, before.bytes, now);
    } catch {
      left.push(judged.shown); // told to the model
    }
  }
  return left;
}
