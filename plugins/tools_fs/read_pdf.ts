import { readChecked } from "../../core/files/mod.ts";
import type { ToolContext, ToolOutcome } from "../../core/plugin_api/mod.ts";
import { encodeBase64 } from "./encode_base64.ts";
import type { JudgedPath } from "./judged_path.ts";
import { pageRange } from "./page_range.ts";
import { limit } from "./read_image.ts";
import { ToolFailure } from "./tool_failure.ts";

const DEFAULT_PAGES = 20;
/** Larger files are not parsed; larger ones than the second are not sent whole. */
const MOST_BYTES = 50_000_000;
const MOST_SENT_BYTES = 10_000_000;
const RESULT_CHARS = 100_000;

/**
 * Reads a PDF of `size` bytes: as a document where the model takes it and no `pages` are asked for, else the text of its
 * pages, within limits.
 */
export async function readPdf(
  context: ToolContext,
  { path, shown }: JudgedPath,
  size: number,
  pages: string,
): Promise<ToolOutcome> {
  if (size > MOST_BYTES) {
    throw new ToolFailure(
      `Cannot read "${shown}": the PDF has ${size} bytes and at most ${MOST_BYTES} are read`,
    );
  }
  const { bytes, sha256 } = await readChecked(path, MOST_BYTES);
  const most = limit(context, "pdf_max_pages", DEFAULT_PAGES);
  // the parser takes its bytes away
  const pdf = await openPdf(bytes.slice(), shown);
  try {
    const total = pdf.numPages;
    const base = { file_path: path, media_type: "application/pdf", bytes: bytes.length, pages: total };
    const seen = [{ path, sha256 }];
    if (pages === "" && context.config["pdf"] === true && total <= most && bytes.length <= MOST_SENT_BYTES) {
      return {
        content: `${shown}: PDF, ${count(total)}, shown as it looks`,
        media: [{
          type: "document",
          media_type: "application/pdf",
          data: encodeBase64(bytes),
          name: shown,
          pages: total,
        }],
        seen,
        data: { ...base, first_page: 1, last_page: total },
      };
    }
    const { first, last } = pageRange(pages === "" ? "1-" : pages, total, most);
    const parts: string[] = [];
    let length = 0;
    let page = first;
    for (; page <= last && length < RESULT_CHARS; page++) {
      context.signal.throwIfAborted();
      const text = (await pageText(pdf, page)).slice(0, RESULT_CHARS - length).toWellFormed();
      parts.push(`--- page ${page} ---\n${text === "" ? "(no text: it may be a picture)" : text}`);
      length += text.length;
    }
    const partial = first > 1 || page <= total;
    const note = partial
      ? `\n[PARTIAL: pages ${first}-${page - 1} of ${total}${
        page <= total ? `; go on with pages "${page}-"` : ""
      }]`
      : "";
    return {
      content: `${shown}: PDF, ${count(total)}\n${parts.join("\n")}${note}`,
      seen,
      data: { ...base, first_page: first, last_page: page - 1, partial },
    };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

type Pdf = Awaited<ReturnType<typeof import("unpdf").getDocumentProxy>>;

async function openPdf(bytes: Uint8Array, shown: string): Promise<Pdf> {
  const { getDocumentProxy } = await import("unpdf");
  try {
    return await getDocumentProxy(bytes, { verbosity: 0, useSystemFonts: false });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const locked = error instanceof Error && error.name === "PasswordException";
    throw new ToolFailure(
      locked
        ? `Cannot read "${shown}": the PDF is protected by a password; ask for a copy without one`
        : `Cannot read "${shown}": it is no whole PDF (${why})`,
    );
  }
}

/** The text of a page, with its line ends. */
async function pageText(pdf: Pdf, number: number): Promise<string> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent();
  let text = "";
  for (const item of items) if ("str" in item) text += item.hasEOL ? `${item.str}\n` : item.str;
  page.cleanup();
  return text.trim();
}

function count(pages: number): string {
  return pages === 1 ? "1 page" : `${pages} pages`;
}
