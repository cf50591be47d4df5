import { defineTool } from "./define_tool.ts";
import { editFile } from "./edit_file.ts";

/** Several replacements in one file, all or none: `{ file_path, edits: [{ old_string, new_string, replace_all? }] }`. */
export const multiEdit = defineTool((input, context) =>
  editFile(
    context,
    input.string("file_path"),
    input.list("edits").map((edit) => ({
      old_string: edit.string("old_string"),
      new_string: edit.string("new_string"),
      replace_all: edit.boolean("replace_all"),
    })),
  )
);
