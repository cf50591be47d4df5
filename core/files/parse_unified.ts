import { patchError } from "./patch_file.ts";
import type { PatchFile, PatchHunk, PatchLine } from "./patch_file.ts";

const HUNK = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/;

/** True for the text of a unified diff, of git or of diff. */
export function isUnifiedDiff(lines: readonly string[]): boolean {
  return lines.some((line, index) =>
    line.startsWith("diff --git ") ||
    (line.startsWith("--- ") && lines[index + 1]?.startsWith("+++ ") === true)
  ) && !lines.some((line) => line.trim() === "*** Begin Patch");
}

/** Reads a unified diff. The counts in its hunk headers are not trusted: a hunk ends where the next header stands. */
export function parseUnified(lines: readonly string[]): PatchFile[] {
  const files: PatchFile[] = [];
  let at = 0;
  while (at < lines.length) {
    if (isFileHeader(lines, at)) {
      const [file, next] = readFile(lines, at);
      files.push(file);
      at = next;
    } else if (lines[at]!.trim() === "" || files.length === 0) at++; // words before the first file
    else {throw patchError(
        `a file's header is expected, not ${JSON.stringify(lines[at]!.slice(0, 80))}`,
        at + 1,
      );}
  }
  return files;
}

function isFileHeader(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  return line.startsWith("diff --git ") ||
    (line.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ") === true);
}

function readFile(lines: readonly string[], start: number): [PatchFile, number] {
  let at = start;
  let rename: { from?: string; to?: string } = {};
  let gone = false;
  let fresh = false;
  const names = /^diff --git a\/(.+) b\/\1$/.exec(lines[at] ?? "")?.[1];
  if (lines[at]!.startsWith("diff --git ")) {
    at++;
    while (at < lines.length && !isFileHeader(lines, at) && !HUNK.test(lines[at]!)) {
      const line = lines[at]!;
      const from = /^rename from (.+)$/.exec(line)?.[1];
      const to = /^rename to (.+)$/.exec(line)?.[1];
      if (from !== undefined) rename = { ...rename, from };
      if (to !== undefined) rename = { ...rename, to };
      if (line.startsWith("deleted file mode")) gone = true;
      if (line.startsWith("new file mode")) fresh = true;
      if (/^(Binary files |GIT binary patch)/.test(line)) {
        throw patchError("it changes a binary file", at + 1);
      }
      if (line === "") break;
      at++;
    }
  }
  let old_path: string | undefined = rename.from ?? names;
  let new_path: string | undefined = rename.to ?? names;
  if (lines[at]?.startsWith("--- ") && lines[at + 1]?.startsWith("+++ ")) {
    [old_path, new_path] = headerPaths(lines[at]!.slice(4), lines[at + 1]!.slice(4));
    at += 2;
  }
  const hunks: PatchHunk[] = [];
  while (at < lines.length && HUNK.test(lines[at]!)) {
    const near = Number(HUNK.exec(lines[at]!)![1]);
    const hunk: PatchHunk = { anchors: [], lines: [], at_end: false, near };
    at++;
    while (at < lines.length && !HUNK.test(lines[at]!) && !isFileHeader(lines, at)) {
      const line = lines[at]!;
      if (/^[ +-]/.test(line)) {
        hunk.lines.push({ kind: line[0] as PatchLine["kind"], text: line.slice(1) });
      } else if (
        line === "" && lines.slice(at).some((later) => /^[ +-]/.test(later)) && !endsHere(lines, at)
      ) {
        hunk.lines.push({ kind: " ", text: "" }); // an empty line whose space was lost on the way
      } else if (!line.startsWith("\\ ")) break;
      at++;
    }
    hunks.push(hunk);
  }
  if (old_path === undefined && new_path === undefined) throw patchError("a header names no file", start + 1);
  if (gone || new_path === undefined) return [{ kind: "delete", path: old_path ?? "" }, at];
  if (fresh || old_path === undefined) {
    const added = hunks.flatMap((hunk) => hunk.lines);
    if (added.some(({ kind }) => kind !== "+")) {
      throw patchError(`a new file has lines that are not added`, start + 1);
    }
    return [{ kind: "add", path: new_path, text: added.map(({ text }) => `${text}\n`).join("") }, at];
  }
  const moved = old_path === new_path ? {} : { move_to: new_path };
  if (hunks.length === 0 && old_path === new_path) {
    throw patchError(`nothing of ${old_path} is changed`, start + 1);
  }
  return [{ kind: "update", path: old_path, ...moved, hunks }, at];
}

/** True when nothing but a file's header or the end follows the empty lines from here on. */
function endsHere(lines: readonly string[], at: number): boolean {
  let next = at;
  while (next < lines.length && lines[next] === "") next++;
  return next >= lines.length || isFileHeader(lines, next) || HUNK.test(lines[next]!);
}

/** The paths of `---` and `+++`: without times, without git's `a/` and `b/`; undefined for /dev/null. */
function headerPaths(old_name: string, new_name: string): [string | undefined, string | undefined] {
  const clean = (name: string) => name.replace(/\t.*$/, "").trim();
  const before = clean(old_name);
  const after = clean(new_name);
  const none = (name: string) => name === "/dev/null";
  const prefixed = (none(before) || before.startsWith("a/")) && (none(after) || after.startsWith("b/"));
  const path = (name: string) => none(name) ? undefined : prefixed ? name.slice(2) : name;
  return [path(before), path(after)];
}
