import { type CollectedLine, readLines, visibleText } from "../../core/files/mod.ts";
import { defineTool } from "./define_tool.ts";
import { hintedFailure } from "./hinted_failure.ts";
import { judgedPath } from "./judged_path.ts";
import { readImage } from "./read_image.ts";
import { readNotebook } from "./read_notebook.ts";
import { readPdf } from "./read_pdf.ts";
import { ToolFailure } from "./tool_failure.ts";

const DEFAULT_LINES = 2000;
const LINE_CHARS = 2000;
const RESULT_CHARS = 100_000;
/** Enough for `LINE_CHARS` of any encoding, so that a character cut at its end is never shown. */
const LINE_BYTES = 4 * LINE_CHARS + 8;
const MOST_LINES = 1_000_000_000;

/**
 * Shows lines of a text file: `{ file_path, offset?, limit?, pages? }` as `N<TAB>line`, within fixed bounds; a notebook as its
 * cells unless lines of it are asked for, an image as itself, a PDF as itself or the text of its pages.
 */
export const read = defineTool(async (input, context) => {
  const shown = input.string("file_path");
  const first = Math.max(1, input.integer("offset", 1, 0, MOST_LINES));
  const count = input.integer("limit", DEFAULT_LINES, 1, MOST_LINES);
  const pages = input.string("pages", "");
  const judged = judgedPath(context, shown, "read");
  if (/\.ipynb$/i.test(judged.path) && !input.has("offset") && !input.has("limit")) {
    return await readNotebook(context, judged);
  }
  const window = { first, count, line_bytes: LINE_BYTES, total_bytes: 2 * RESULT_CHARS };
  const result = await readLines(judged.path, window, context.signal).catch(async (error) => {
    throw context.signal.aborted ? error : await hintedFailure(context, judged, error);
  });
  if ("binary" in result) {
    const { binary: kind, size } = result;
    if (kind === "PDF document") return await readPdf(context, judged, size, pages);
    if (/^(PNG|JPEG|GIF|WebP) image$/.test(kind)) return await readImage(context, judged, kind, size);
    throw new ToolFailure(
      `Cannot read "${shown}" as text: it is binary (${result.binary}, ${result.size} bytes)`,
    );
  }
  const { total, sha256, format, size } = result;
  if (total !== null && first > Math.max(total, 1)) {
    throw new ToolFailure(`Cannot read "${shown}" from line ${first}: it has ${total} lines`);
  }
  const page = showLines(result.lines, first);
  const next = first + page.lines;
  const partial = first > 1 || total === null || next <= total;
  const notes = [
    ...(size === 0 ? ["(empty file)"] : total === 0 ? ["(no text after the byte order mark)"] : []),
    ...page.notes,
    ...(format.encoding === "utf-8" ? [] : [`[${format.encoding.toUpperCase()}; edits keep the encoding]`]),
    ...(partial ? [partialNote(first, next, total, size)] : []),
  ];
  return {
    content: [...page.shown, ...notes].join("\n"),
    ...(sha256 === null ? {} : { seen: [{ path: judged.path, sha256 }] }),
    data: {
      file_path: judged.path,
      start_line: first,
      lines: page.lines,
      total_lines: total,
      bytes: size,
      encoding: format.encoding,
      partial,
    },
  };
});

function partialNote(first: number, next: number, total: number | null, size: number): string {
  const of = total === null ? `a file of ${size} bytes` : `${total}`;
  const more = total === null || next <= total ? `; go on with offset ${next}` : "";
  return `[PARTIAL: lines ${first}-${next - 1} of ${of}${more}]`;
}

function showLines(lines: readonly CollectedLine[], first: number): Page {
  const page: Page = { shown: [], lines: 0, notes: [] };
  let length = 0;
  let escaped = 0;
  let clipped = 0;
  for (const line of lines) {
    const visible = visibleText(line.text);
    const number = first + page.lines;
    const long = line.cut || visible.text.length > LINE_CHARS;
    const text = long ? `${cutText(visible.text)}… [line has ${line.bytes} bytes]` : visible.text;
    if (length + text.length > RESULT_CHARS) break;
    page.shown.push(`${number}\t${text}`);
    length += text.length + 8;
    page.lines++;
    if (visible.escaped) escaped++;
    if (long) clipped++;
  }
  if (clipped > 0) {
    page.notes.push(
      `[${clipped} long ${clipped === 1 ? "line is" : "lines are"} cut after ${LINE_CHARS} characters; ` +
        "Grep finds text in the rest, cut -c in Bash shows it]",
    );
  }
  if (escaped > 0) {
    page.notes.push(
      `[${escaped} ${escaped === 1 ? "line has" : "lines have"} bytes that are not text, shown as \\xNN]`,
    );
  }
  return page;
}

interface Page {
  shown: string[];
  lines: number;
  notes: string[];
}

/** The first `LINE_CHARS` characters, never half of a pair. */
function cutText(text: string): string {
  const cut = text.slice(0, LINE_CHARS);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
