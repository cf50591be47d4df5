import { LuminaError } from "../../base/mod.ts";
import type { PageText } from "./page_text.ts";
import type { PdfText } from "./pdf_text.ts";
import type { ResultPage } from "./result_page.ts";

/** What the worker is asked. */
export type PageQuestion =
  | { kind: "page"; html: string; url: string }
  | { kind: "results"; html: string }
  | { kind: "pdf"; bytes: Uint8Array };

/** Takes HTML apart. */
export interface PageReader {
  page(html: string, url: string, signal: AbortSignal): Promise<PageText>;
  results(html: string, signal: AbortSignal): Promise<ResultPage>;
  pdf(bytes: Uint8Array, signal: AbortSignal): Promise<PdfText>;
}

/**
 * Reads HTML in a worker without any permission, one for each page: what a page makes of its reader ends with it, and a page
 * that takes too long is cut off with the signal. Throws `web.unreadable` and the signal's reason.
 */
export function pageReader(entry: URL): PageReader {
  return {
    page: async (html, url, signal) => await ask<PageText>(entry, { kind: "page", html, url }, signal),
    pdf: async (bytes, signal) => await ask<PdfText>(entry, { kind: "pdf", bytes }, signal),
    results: async (html, signal) => await ask<ResultPage>(entry, { kind: "results", html }, signal),
  };
}

async function ask<T>(entry: URL, question: PageQuestion, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const permissions = {
    read: false,
    write: false,
    net: false,
    env: false,
    run: false,
    sys: false,
    ffi: false,
    import: false,
  } as const;
  const worker = new Worker(entry, { type: "module", name: "page", deno: { permissions } });
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const unreadable = (why: string) =>
    reject(new LuminaError("web.unreadable", `the page cannot be read: ${why}`));
  const abort = () => reject(signal.reason);
  worker.onmessage = ({ data }: MessageEvent<{ answer?: T; failure?: string }>) => {
    if (data.answer === undefined) unreadable(data.failure ?? "no answer");
    else resolve(data.answer);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    unreadable(event.message);
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    worker.postMessage(question);
    return await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    worker.terminate();
  }
}
