import { hiddenText, lineEndAround, lineEnds, withLf } from "../../core/files/mod.ts";
import { findMatch, type Matches, type MatchKind, MOST_COUNTED } from "./find_match.ts";
import { nearestText } from "./nearest_text.ts";
import { type Replacement, spliced, type TextFile } from "./text_file.ts";
import { ToolFailure } from "./tool_failure.ts";

/** One change as the model asked for it. `old_string` is not empty. */
export interface TextEdit {
  old_string: string;
  new_string: string;
  replace_all: boolean;
}

/** The file after one change. */
export interface EditedText {
  file: TextFile;
  kind: MatchKind;
  count: number;
}

/**
 * Applies one edit. Only what differs between `old_string` and `new_string` is written, so equal text at both ends
 * of a match keeps its bytes; a new line takes the line end of the line it replaces or stands beside. Throws
 * `ToolFailure` when nothing or too much matches, naming `shown`, the path for people.
 */
export function applyEdit(file: TextFile, edit: TextEdit, shown: string): EditedText {
  if (edit.old_string === edit.new_string) {
    throw new ToolFailure("old_string and new_string are equal: nothing to change");
  }
  const matches = findMatch(file.text, edit.old_string, edit.replace_all);
  if (matches === null) {
    throw new ToolFailure(`old_string was not found in ${shown}. ${nearestText(file.text, edit.old_string)}`);
  }
  refuseAmbiguous(file, edit, matches, shown);
  const new_string = matches.kind === "verbatim"
    ? edit.new_string
    : matches.kind === "escaped"
    ? hiddenText(withLf(edit.new_string))
    : withLf(edit.new_string);
  const replacements = matches.spans.map((span) => replacementOf(file.text, span, matches, new_string));
  const edited = spliced(file, replacements);
  if (edited.text === file.text) {
    throw new ToolFailure(`Nothing to change: ${shown} already has new_string at that place`);
  }
  return { file: edited, kind: matches.kind, count: matches.spans.length };
}

function refuseAmbiguous(file: TextFile, edit: TextEdit, matches: Matches, shown: string): void {
  const count = matches.spans.length;
  if (count === 1 || (edit.replace_all && matches.kind !== "punctuation")) return;
  const lines = lineNumbers(file.text, matches.spans.slice(0, 10).map((span) => span.start)).join(", ");
  const places = `${count < MOST_COUNTED ? count : `${count} or more`} places (${
    count > 10 ? "first at lines" : "lines"
  } ${lines})`;
  if (matches.kind === "punctuation") {
    const near = nearestText(file.text, edit.old_string);
    throw new ToolFailure(
      `old_string was not found in ${shown} as it is; with typographic characters read as ASCII it fits ${places}. ${near}`,
    );
  }
  throw new ToolFailure(
    `old_string fits ${places} in ${shown}: add lines around it until it fits one, or set replace_all`,
  );
}

function replacementOf(
  text: string,
  span: { start: number; end: number },
  matches: Matches,
  new_string: string,
): Replacement {
  const old_string = matches.wanted;
  let head = commonHead(old_string, new_string);
  while (head > 0 && matches.offsetIn(span.start, head) < 0) head--;
  let tail = commonTail(old_string, new_string, head);
  while (tail > 0 && matches.offsetIn(span.start, old_string.length - tail) < 0) tail--;
  const start = head === 0 ? span.start : matches.offsetIn(span.start, head);
  const end = tail === 0 ? span.end : matches.offsetIn(span.start, old_string.length - tail);
  const inserted = new_string.slice(head, new_string.length - tail);
  if (matches.kind === "verbatim" || !inserted.includes("\n")) return { start, end, text: inserted };
  const ends = lineEnds(text.slice(start, end));
  const beside = lineEndAround(text, start, end);
  let line = 0;
  return { start, end, text: inserted.replace(/\n/g, () => ends[line++] ?? ends.at(-1) ?? beside) };
}

function commonHead(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length++;
  return /[\ud800-\udbff]/.test(one[length - 1] ?? "") ? length - 1 : length; // never half a pair
}

function commonTail(one: string, other: string, head: number): number {
  const most = Math.min(one.length, other.length) - head;
  let length = 0;
  while (length < most && one[one.length - 1 - length] === other[other.length - 1 - length]) length++;
  return length > 0 && /[\udc00-\udfff]/.test(one[one.length - length] ?? "") ? length - 1 : length;
}

/** 1-based line numbers of ascending offsets. */
function lineNumbers(text: string, offsets: readonly number[]): number[] {
  let line = 1;
  let done = 0;
  return offsets.map((offset) => {
    line += lineEnds(text.slice(done, offset)).length;
    done = offset;
    return line;
  });
}
