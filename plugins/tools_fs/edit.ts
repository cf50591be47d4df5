import { defineTool } from "./define_tool.ts";
import { editFile } from "./edit_file.ts";

/** Replaces one text of a file: `{ file_path, old_string, new_string, replace_all? }`. */
export const edit = defineTool((input, context) =>
  editFile(context, input.string("file_path"), [{
    old_string: input.string("old_string"),
    new_string: input.string("new_string"),
    replace_all: input.boolean("replace_all"),
  }])
);
