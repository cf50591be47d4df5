import { canonicalWebUrl } from "../../permission/mod.ts";
import type { Message } from "../../types/mod.ts";

const SEARCH_TOOLS: readonly string[] = ["WebSearch", "web_search"];
/** Addresses that are kept; the oldest go first. */
const MOST = 2_000;

/** The addresses that searches of a session have found, and where they redirected to. */
export class KnownUrls {
  readonly #urls = new Set<string>();

  add(url: string): void {
    const form = canonicalWebUrl(url);
    if (form === undefined) return;
    this.#urls.delete(form);
    this.#urls.add(form);
    for (const oldest of this.#urls) {
      if (this.#urls.size <= MOST) break;
      this.#urls.delete(oldest);
    }
  }

  has(url: string): boolean {
    const form = canonicalWebUrl(url);
    return form !== undefined && this.#urls.has(form);
  }

  /** Takes what searches of an earlier process found, as it stands in the conversation. */
  addFrom(messages: readonly Message[]): void {
    const calls = new Set<string>();
    for (const { content } of messages) {
      for (const block of content) {
        if (block.type === "tool_use" && SEARCH_TOOLS.includes(block.name)) calls.add(block.call_id);
        if (block.type !== "tool_result" || block.is_error || !calls.has(block.call_id)) continue;
        // a quote inside a text of the answer is escaped: it cannot look like a field
        for (const [, url] of block.content.matchAll(/(?<!\\)"url": ?"((?:[^"\\]|\\.)*)"/g)) {
          this.add(unquoted(url ?? ""));
        }
      }
    }
  }
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return ""; // cut off in the middle
  }
}
