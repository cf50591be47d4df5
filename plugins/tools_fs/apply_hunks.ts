import { foldedView, lineEnds, normalFormView, type PatchHunk, plainView } from "../../core/files/mod.ts";
import { nearestText } from "./nearest_text.ts";
import { type Replacement, spliced, type TextFile } from "./text_file.ts";
import { ToolFailure } from "./tool_failure.ts";

/** A line of a text: where it starts, what it says, and where the next one starts. */
interface Line {
  start: number;
  text: string;
  next: number;
}

/** How lines may be compared, strictest first. Only the last two may be ambiguous, and then they do not count. */
const LEVELS: readonly { read: (text: string) => string; only: boolean }[] = [
  { read: (text) => text, only: false },
  { read: (text) => normalFormView(plainView(text)).text, only: false },
  { read: (text) => text.trimEnd(), only: false },
  { read: (text) => foldedView(normalFormView(plainView(text))).text.trimEnd(), only: true },
  { read: (text) => foldedView(normalFormView(plainView(text))).text.trim(), only: true },
];

/**
 * The file after the hunks, applied in order: each one behind the one before it. Lines that stay keep their bytes; a new
 * line takes the line end of the line it replaces or stands beside. Throws `ToolFailure` that names the hunk.
 */
export function applyHunks(file: TextFile, hunks: readonly PatchHunk[], shown: string): TextFile {
  const lines = linesOf(file.text);
  const eol = lineEnds(file.text)[0] ?? "\n";
  const replacements: Replacement[] = [];
  let from = 0;
  for (const [index, hunk] of hunks.entries()) {
    const where = `${shown}, change ${index + 1} of ${hunks.length}`;
    const place = placeOf(file.text, lines, hunk, from, where);
    replacements.push(...changesAt(file.text, lines, hunk, place, eol));
    from = place + hunk.lines.filter(({ kind }) => kind !== "+").length;
  }
  return spliced(file, replacements);
}

function linesOf(text: string): Line[] {
  const lines: Line[] = [];
  const end = /\r\n|\n|\r/g;
  let start = 0;
  for (let found = end.exec(text); found !== null; found = end.exec(text)) {
    lines.push({ start, text: text.slice(start, found.index), next: end.lastIndex });
    start = end.lastIndex;
  }
  if (start < text.length) lines.push({ start, text: text.slice(start), next: text.length });
  return lines;
}

/** The index of the line at which a hunk begins. */
function placeOf(text: string, lines: readonly Line[], hunk: PatchHunk, from: number, where: string): number {
  let start = from;
  for (const anchor of hunk.anchors) {
    const found = find(lines, [anchor], start, {});
    if (found === undefined) {
      throw new ToolFailure(
        `${where}: the line after @@ was not found: ${JSON.stringify(anchor.slice(0, 120))}`,
      );
    }
    start = found + 1;
  }
  const wanted = hunk.lines.filter(({ kind }) => kind !== "+").map((line) => line.text);
  if (wanted.length === 0) {
    // nothing to look for: behind the anchor, at the named line, else at the end
    if (hunk.anchors.length > 0) return start;
    return hunk.near === undefined || hunk.at_end ? lines.length : Math.min(hunk.near, lines.length);
  }
  const found = find(lines, wanted, start, hunk) ??
    // the anchor may be a line of the hunk itself
    (hunk.anchors.length > 0 ? find(lines, wanted, Math.max(from, start - 1), hunk) : undefined);
  if (found !== undefined) return found;
  const old = wanted.join("\n");
  throw new ToolFailure(`${where}: its lines were not found. ${nearestText(text, old)}`);
}

/** Where the wanted lines stand from `from` on: the first place, the last when they end the file, or the nearest to a number. */
function find(
  lines: readonly Line[],
  wanted: readonly string[],
  from: number,
  { at_end, near }: Partial<PatchHunk>,
): number | undefined {
  for (const { read, only } of LEVELS) {
    const asked = wanted.map(read);
    const places: number[] = [];
    for (let at = from; at + asked.length <= lines.length; at++) {
      if (asked.every((text, offset) => read(lines[at + offset]!.text) === text)) places.push(at);
    }
    const first = places[0];
    if (first === undefined || (only && places.length > 1 && at_end !== true)) continue;
    if (at_end === true) return places.at(-1);
    if (near === undefined) return first;
    return places.reduce((best, place) =>
      Math.abs(place + 1 - near) < Math.abs(best + 1 - near) ? place : best
    );
  }
  return undefined;
}

/** What is replaced where a hunk stands: runs of removed and added lines between those that stay. */
function changesAt(
  text: string,
  lines: readonly Line[],
  hunk: PatchHunk,
  place: number,
  eol: string,
): Replacement[] {
  const changes: Replacement[] = [];
  let line = place;
  let removed = 0;
  let added: string[] = [];
  const flush = () => {
    if (removed === 0 && added.length === 0) return;
    changes.push(replacement(text, lines, line - removed, line, added, eol));
    removed = 0;
    added = [];
  };
  for (const { kind, text: words } of hunk.lines) {
    if (kind === " ") {
      flush();
      line++;
    } else if (kind === "-") {
      // what is removed behind what was added belongs to the same run
      removed++;
      line++;
    } else added.push(words);
  }
  flush();
  return changes;
}

function replacement(
  text: string,
  lines: readonly Line[],
  first: number,
  last: number,
  added: readonly string[],
  eol: string,
): Replacement {
  const endOf = (at: number) => {
    const line = lines[at];
    const end = line === undefined ? "" : text.slice(line.start + line.text.length, line.next);
    return end === "" ? undefined : end;
  };
  const beside = endOf(first - 1) ?? endOf(last) ?? eol;
  const start = lines[first]?.start ?? text.length;
  const end = lines[last - 1] !== undefined && last > first ? lines[last - 1]!.next : start;
  let inserted = added.map((words, index) => {
    const own = first + index < last ? endOf(first + index) : undefined;
    return words + (own ?? beside);
  }).join("");
  const previous = lines[first - 1];
  // behind a last line without an end
  if (
    start === text.length && first === lines.length && previous !== undefined &&
    endOf(first - 1) === undefined
  ) {
    inserted = beside + inserted.slice(0, inserted.length - beside.length);
  } else if (end === text.length && last > first && endOf(last - 1) === undefined && added.length > 0) {
    inserted = inserted.slice(0, inserted.length - beside.length); // the file goes on having no end at its last line
  }
  return { start, end, text: inserted };
}
