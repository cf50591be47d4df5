// Entry of the worker that takes pages of strangers apart: it has no permission at all, and ends with its one answer.
import type { PageQuestion } from "./read_page.ts";

interface WorkerScope {
  postMessage(answer: unknown): void;
  onmessage: ((event: { data: PageQuestion }) => void) | null;
}

const scope = self as unknown as WorkerScope;
/** What reads a kind is loaded for that kind alone. */
async function read(question: PageQuestion): Promise<unknown> {
  switch (question.kind) {
    case "page":
      return (await import("./page_text.ts")).pageText(question.html, question.url);
    case "results":
      return (await import("./result_page.ts")).resultPage(question.html);
    case "pdf":
      return await (await import("./pdf_text.ts")).pdfText(question.bytes);
  }
}

scope.onmessage = async ({ data }) => {
  try {
    scope.postMessage({ answer: await read(data) });
  } catch (error) {
    scope.postMessage({ failure: error instanceof Error ? error.message : String(error) });
  }
};
