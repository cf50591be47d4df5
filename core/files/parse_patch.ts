import { withLf } from "./line_view.ts";
import { patchError } from "./patch_file.ts";
import type { PatchFile, PatchHunk, PatchLine } from "./patch_file.ts";
import { isUnifiedDiff, parseUnified } from "./parse_unified.ts";

const MOST_FILES = 500;
const HEADER = /^\*\*\* (Add File|Delete File|Update File): (.*)$/;

/**
 * Reads a patch: the public form of Codex (`*** Begin Patch`), or a unified diff. The permission kernel and the tool that
 * applies it read it with this very function, so that both see the same paths. Throws `files.patch` with the line.
 */
export function parsePatch(text: string): PatchFile[] {
  const lines = withLf(text).split("\n");
  const files = isUnifiedDiff(lines) ? parseUnified(lines) : parseEnvelope(lines);
  if (files.length === 0) throw patchError("it changes no file");
  if (files.length > MOST_FILES) throw patchError(`it changes more than ${MOST_FILES} files`);
  for (const file of files) {
    const paths = file.kind === "update" ? [file.path, file.move_to ?? file.path] : [file.path];
    if (paths.some((path) => path.trim() === "")) throw patchError("a header names no file");
  }
  return files;
}

/** Every path that a patch writes, moves or deletes. */
export function patchPaths(files: readonly PatchFile[]): string[] {
  return files.flatMap((file) =>
    file.kind === "update" && file.move_to !== undefined ? [file.path, file.move_to] : [file.path]
  );
}

function parseEnvelope(lines: readonly string[]): PatchFile[] {
  const begin = lines.findIndex((line) => line.trim() === "*** Begin Patch");
  const end = lines.findLastIndex((line) => line.trim() === "*** End Patch");
  if (begin < 0) throw patchError('it must begin with "*** Begin Patch", or be a unified diff');
  if (end < begin) throw patchError('it must end with "*** End Patch"');
  if (lines.slice(0, begin).some((line) => line.trim() !== "" && !/^<<\s*['"]?\w+['"]?$/.test(line.trim()))) {
    throw patchError('nothing may stand before "*** Begin Patch"', 1);
  }
  const files: PatchFile[] = [];
  let at = begin + 1;
  while (at < end) {
    const line = lines[at]!;
    const header = HEADER.exec(line.trimEnd());
    if (header === null) {
      if (line.trim() === "") {
        at++;
        continue;
      }
      throw patchError(`a file's header is expected, not ${JSON.stringify(line.slice(0, 80))}`, at + 1);
    }
    const path = header[2]!.trim();
    let next = at + 1;
    while (next < end && HEADER.exec(lines[next]!.trimEnd()) === null) next++;
    const body = lines.slice(at + 1, next);
    if (header[1] === "Add File") files.push({ kind: "add", path, text: addedText(body, at + 2) });
    else if (header[1] === "Update File") files.push(updated(path, body, at + 2));
    else {
      if (body.some((text) => text.trim() !== "")) throw patchError(`"Delete File" takes no lines`, at + 2);
      files.push({ kind: "delete", path });
    }
    at = next;
  }
  return files;
}

function addedText(body: readonly string[], first: number): string {
  let text = "";
  for (const [index, line] of body.entries()) {
    if (line.startsWith("+")) text += `${line.slice(1)}\n`;
    else if (line !== "") throw patchError('each line of an added file must begin with "+"', first + index);
  }
  return text;
}

function updated(path: string, body: readonly string[], first: number): PatchFile {
  const move = /^\*\*\* Move to: (.*)$/.exec(body[0]?.trimEnd() ?? "");
  const hunks: PatchHunk[] = [];
  let hunk: PatchHunk | undefined;
  const open = (anchor?: string): PatchHunk => {
    // several headers in a row narrow the place down
    if (hunk === undefined || hunk.lines.length > 0) {
      hunk = { anchors: [], lines: [], at_end: false };
      hunks.push(hunk);
    }
    if (anchor !== undefined && anchor !== "") hunk.anchors.push(anchor);
    return hunk;
  };
  for (const [index, line] of body.entries()) {
    if (index === 0 && move !== null) continue;
    if (line === "@@" || line.startsWith("@@ ")) open(line.slice(3));
    else if (line.trimEnd() === "*** End of File") {
      if (hunk === undefined) throw patchError('"*** End of File" stands before any line', first + index);
      hunk.at_end = true;
    } else if (/^[ +-]/.test(line)) {
      const target = hunk ?? open();
      target.lines.push({ kind: line[0] as PatchLine["kind"], text: line.slice(1) });
    } else if (line === "") {
      if (hunk !== undefined) hunk.lines.push({ kind: " ", text: "" });
    } else {
      throw patchError(
        `a line of an update must begin with a space, "+", "-" or "@@", not ${
          JSON.stringify(line.slice(0, 80))
        }`,
        first + index,
      );
    }
  }
  for (const { lines } of hunks) trimBlanks(lines);
  const changing = hunks.filter(({ lines }) => lines.some(({ kind }) => kind !== " "));
  const move_to = move?.[1]?.trim();
  if (changing.length === 0 && move_to === undefined) {
    throw patchError(`nothing of ${path} is changed`, first);
  }
  return { kind: "update", path, ...(move_to === undefined ? {} : { move_to }), hunks: changing };
}

/** Empty lines before the next header belong to the patch, not to the file. */
function trimBlanks(lines: PatchLine[]): void {
  while (lines.length > 0 && lines.at(-1)!.kind === " " && lines.at(-1)!.text === "") lines.pop();
}
