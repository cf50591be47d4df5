import type { ToolContext, ToolOutcome } from "../../core/plugin_api/mod.ts";
import { applyEdit, type TextEdit } from "./apply_edit.ts";
import { commitFile, commitNote, requireSeen } from "./commit_file.ts";
import type { MatchKind } from "./find_match.ts";
import { judgedPath } from "./judged_path.ts";
import { readExisting } from "./read_existing.ts";
import { clipPatch, textDiff } from "./text_diff.ts";
import { spliced, type TextFile, textFile } from "./text_file.ts";
import { ToolFailure } from "./tool_failure.ts";

const NOTES: Readonly<Record<MatchKind, string>> = {
  verbatim: "",
  exact: "",
  escaped: "\nold_string and new_string were read with \\xNN as that byte.",
  normal_form: "\nold_string fits only in Unicode normal form C; what is not replaced keeps its own form.",
  punctuation: "\nold_string fits only with typographic or full-width characters read as ASCII; " +
    "what is not replaced keeps them.",
};

/**
 * Applies edits one after the other to one file and writes it once: all of them or, when one fails, none. An edit
 * with an empty `old_string` fills a file that is missing or empty.
 */
export async function editFile(
  context: ToolContext,
  file_path: string,
  edits: readonly TextEdit[],
): Promise<ToolOutcome> {
  const judged = judgedPath(context, file_path, "write");
  const existing = await readExisting(context, judged, edits[0]?.old_string === "");
  if (existing !== null) requireSeen(context, judged, existing.whole);
  const before = existing?.text ?? textFile(new Uint8Array(0), { encoding: "utf-8", bom: 0 });
  let file = before;
  let count = 0;
  let kind: MatchKind = "exact";
  for (const [index, edit] of edits.entries()) {
    try {
      const edited = edit.old_string === ""
        ? { file: filled(file, edit, file_path), kind: "exact" as const, count: 1 }
        : applyEdit(file, edit, file_path);
      file = edited.file;
      count += edited.count;
      if (NOTES[edited.kind] !== "") kind = edited.kind;
    } catch (error) {
      if (edits.length === 1 || !(error instanceof ToolFailure)) throw error;
      throw new ToolFailure(`Edit ${index + 1} of ${edits.length}: ${error.message}\nNo edit was applied`);
    }
  }
  const committed = await commitFile(context, judged, file.bytes, existing?.whole ?? null);
  const { patch, added, removed } = await textDiff(before.text, file.text);
  const done = existing === null
    ? `Created ${file_path}`
    : `Edited ${file_path} (${count} ${count === 1 ? "place" : "places"})`;
  const shown = existing === null ? "" : `\n${clipPatch(patch, 60, 4000)}`;
  return {
    content: `${done}: +${added} -${removed}${NOTES[kind]}${encodingNote(before, edits)}${
      commitNote(committed)
    }${shown}`,
    seen: [{ path: judged.path, sha256: committed.sha256 }],
    data: {
      file_path: judged.path,
      kind: existing === null ? "create" : "update",
      replacements: count,
      match: kind,
      added,
      removed,
      bytes: file.bytes.length,
      method: committed.method,
      patch: clipPatch(patch, 400, 20_000),
    },
  };
}

function filled(file: TextFile, edit: TextEdit, shown: string): TextFile {
  if (file.text !== "") {
    throw new ToolFailure(
      `old_string is empty, but ${shown} has content: give the text to replace, or use Write for the whole file`,
    );
  }
  return spliced(file, [{ start: 0, end: 0, text: edit.new_string }]);
}

function encodingNote(before: TextFile, edits: readonly TextEdit[]): string {
  const foreign = edits.some((edit) => /\P{ASCII}/u.test(edit.new_string));
  return foreign && before.format.encoding === "utf-8" && !before.text.isWellFormed()
    ? "\nThe file is not valid UTF-8; the new text was written as UTF-8."
    : "";
}
