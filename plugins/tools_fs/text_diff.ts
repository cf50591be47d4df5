import { visibleText, withLf } from "../../core/files/mod.ts";

/** A change as a unified diff without file headers. */
export interface TextDiff {
  patch: string;
  added: number;
  removed: number;
}

const CONTEXT = 3;
/** A change that takes longer to lay out is only counted, milliseconds. */
const PATIENCE = 300;

/** The lines that differ, line ends not counted. Only the part between the first and last difference is compared. */
export async function textDiff(old_text: string, new_text: string): Promise<TextDiff> {
  const old_lines = visibleText(withLf(old_text)).text;
  const new_lines = visibleText(withLf(new_text)).text;
  if (old_lines === new_lines) return { patch: "", added: 0, removed: 0 };
  const { head, tail } = commonLines(old_lines, new_lines);
  const old_part = old_lines.slice(head, old_lines.length - tail);
  const new_part = new_lines.slice(head, new_lines.length - tail);
  const { structuredPatch } = await import("diff");
  const laid_out = structuredPatch("", "", old_part, new_part, undefined, undefined, {
    context: CONTEXT,
    timeout: PATIENCE,
  });
  if (laid_out === undefined) {
    return {
      patch: "(too many changes to show)",
      added: countLines(new_part),
      removed: countLines(old_part),
    };
  }
  const before = countLines(old_lines.slice(0, head));
  const parts: string[] = [];
  let added = 0;
  let removed = 0;
  for (const hunk of laid_out.hunks) {
    const old_start = hunk.oldStart + before;
    const new_start = hunk.newStart + before;
    parts.push(`@@ -${old_start},${hunk.oldLines} +${new_start},${hunk.newLines} @@`, ...hunk.lines);
    for (const line of hunk.lines) {
      if (line.startsWith("+")) added++;
      else if (line.startsWith("-")) removed++;
    }
  }
  return { patch: parts.join("\n"), added, removed };
}

/** At most `lines` lines of a patch and `chars` characters, with a note of what was left out. */
export function clipPatch(patch: string, lines: number, chars: number): string {
  const all = patch.split("\n");
  const kept: string[] = [];
  let length = 0;
  for (const line of all) {
    const shown = line.length > 300 ? `${line.slice(0, 300)}…` : line;
    if (kept.length >= lines || length + shown.length > chars) break;
    kept.push(shown);
    length += shown.length + 1;
  }
  if (kept.length < all.length) kept.push(`… (${all.length - kept.length} more lines of diff)`);
  return kept.join("\n");
}

/** Characters of whole equal lines at both ends, less the lines that are shown around a change. */
function commonLines(one: string, other: string): { head: number; tail: number } {
  const most = Math.min(one.length, other.length);
  let same = 0;
  while (same < most && one[same] === other[same]) same++;
  let head = one.lastIndexOf("\n", same - 1) + 1;
  if (same === 0) head = 0;
  for (let line = 0; line < CONTEXT && head > 0; line++) {
    head = head < 2 ? 0 : one.lastIndexOf("\n", head - 2) + 1;
  }
  let end = 0;
  while (end < most - same && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  let after = one.length - end;
  for (let line = 0; line <= CONTEXT && after < one.length; line++) {
    const next = one.indexOf("\n", after);
    after = next < 0 ? one.length : next + 1;
  }
  return { head, tail: one.length - after };
}

function countLines(text: string): number {
  if (text === "") return 0;
  const ends = text.split("\n").length - 1;
  return text.endsWith("\n") ? ends : ends + 1;
}
