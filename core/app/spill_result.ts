import { errorMessage } from "../base/mod.ts";
import type { ToolOutcome } from "../plugin_api/mod.ts";

/**
 * Keeps a result within `limit` UTF-16 code units: a longer one goes whole into `file` (mode 0600), and the model gets
 * its head and tail with the place of the rest. Where the file cannot be written the result says so: the tool has run.
 */
export async function spillResult(outcome: ToolOutcome, limit: number, file: string): Promise<ToolOutcome> {
  const { content } = outcome;
  if (content.length <= limit) return outcome;
  let place = `all of them: ${file}`;
  try {
    await Deno.writeTextFile(file, content, { mode: 0o600 });
  } catch (error) {
    place = `the rest could not be kept: ${errorMessage(error)}`;
  }
  return cutResult(outcome, limit, place);
}

/** The head and tail of a result that is too long, with the place of the rest between them. */
export function cutResult(outcome: ToolOutcome, limit: number, place: string): ToolOutcome {
  const { content } = outcome;
  const note = `\n[… cut from ${content.length} characters; ${place} …]\n`;
  const room = Math.max(0, limit - note.length);
  const head = Math.floor(room * 0.7);
  const tail = content.slice(content.length - (room - head));
  return { ...outcome, content: `${content.slice(0, head)}${note}${tail}`.toWellFormed() };
}
