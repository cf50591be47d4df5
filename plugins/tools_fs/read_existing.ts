import { detectTextFormat, fileErrorCode, readChecked, type WholeFile } from "../../core/files/mod.ts";
import type { ToolContext } from "../../core/plugin_api/mod.ts";
import { EDIT_LIMIT } from "./commit_file.ts";
import { hintedFailure } from "./hinted_failure.ts";
import { type JudgedPath, requireAccess } from "./judged_path.ts";
import { type TextFile, textFile } from "./text_file.ts";
import { ToolFailure } from "./tool_failure.ts";

/** A text file that is to be changed. */
export interface ExistingFile {
  whole: WholeFile;
  text: TextFile;
}

/**
 * The file at a path judged for writing, judged for reading too; null when there is none and `may_be_missing`. Throws
 * `ToolFailure` for a binary file and with hints for what cannot be opened.
 */
export async function readExisting(
  context: ToolContext,
  judged: JudgedPath,
  may_be_missing: boolean,
): Promise<ExistingFile | null> {
  let whole: WholeFile;
  try {
    whole = await readChecked(judged.path, EDIT_LIMIT);
  } catch (error) {
    if (may_be_missing && fileErrorCode(error) === "files.not_found") return null;
    throw await hintedFailure(context, judged, error);
  }
  requireAccess(context, judged, "read");
  const format = detectTextFormat(whole.bytes);
  if ("binary" in format) {
    throw new ToolFailure(
      `Cannot change "${judged.shown}": it is not text (${format.binary}, ${whole.bytes.length} bytes)`,
    );
  }
  return { whole, text: textFile(whole.bytes, format) };
}
