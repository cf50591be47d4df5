import { getDocumentProxy } from "unpdf";

/** Pages that are read. */
const MOST_PAGES = 200;

/** The text of a PDF. */
export interface PdfText {
  text: string;
  title?: string;
}

/** The pages of a PDF as text, each below its number. Throws for what is no whole PDF or needs a password. */
export async function pdfText(bytes: Uint8Array): Promise<PdfText> {
  const pdf = await getDocumentProxy(bytes, { verbosity: 0, useSystemFonts: false });
  const parts: string[] = [];
  for (let number = 1; number <= Math.min(pdf.numPages, MOST_PAGES); number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    let text = "";
    for (const item of items) if ("str" in item) text += item.hasEOL ? `${item.str}\n` : item.str;
    parts.push(`## Page ${number}\n\n${text.trim() === "" ? "(no text: it may be a picture)" : text.trim()}`);
    page.cleanup();
  }
  if (pdf.numPages > MOST_PAGES) parts.push(`[The first ${MOST_PAGES} of ${pdf.numPages} pages.]`);
  return { text: parts.join("\n\n") };
}
