import { detectTextFormat, readChecked } from "../../core/files/mod.ts";
import type { ToolContext, ToolOutcome } from "../../core/plugin_api/mod.ts";
import { hintedFailure } from "./hinted_failure.ts";
import type { JudgedPath } from "./judged_path.ts";
import { parseNotebook } from "./notebook.ts";
import { renderNotebook } from "./render_notebook.ts";
import { textFile } from "./text_file.ts";
import { ToolFailure } from "./tool_failure.ts";

const MOST_BYTES = 64 * 1024 * 1024;

/** Shows the cells of a notebook with their outputs. Throws `ToolFailure` for a file that is none. */
export async function readNotebook(context: ToolContext, judged: JudgedPath): Promise<ToolOutcome> {
  const { bytes, sha256 } = await readChecked(judged.path, MOST_BYTES).catch(async (error) => {
    throw await hintedFailure(context, judged, error);
  });
  const format = detectTextFormat(bytes);
  if ("binary" in format) throw new ToolFailure(`"${judged.shown}" is no notebook: it is not text`);
  const notebook = parseNotebook(textFile(bytes, format).text, judged.shown);
  const { text, images, cells } = renderNotebook(notebook, context.config["images"] === true);
  const total = notebook.cells.length;
  return {
    content: `${judged.shown}: notebook (${notebook.language}), ${total} cells\n${text}`,
    ...(images.length === 0 ? {} : { media: images }),
    seen: [{ path: judged.path, sha256 }],
    data: { file_path: judged.path, cells: total, shown_cells: cells, partial: cells < total },
  };
}
