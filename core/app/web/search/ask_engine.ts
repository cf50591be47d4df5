import { LuminaError } from "../../../base/mod.ts";
import { decodeText } from "../decode_text.ts";
import { fetchPage } from "../fetch_page.ts";
import type { SearchParts } from "./search_port.ts";

const MOST_BYTES = 4 * 1024 * 1024;

/**
 * The answer of a search engine at an address that its user has set or that is a part of the program: it may be on this
 * machine, and redirects are followed on its own host alone.
 */
export async function askEngine(
  url: URL,
  { client, settings, signal }: SearchParts,
  { headers = {}, accept, own = true }: {
    headers?: Readonly<Record<string, string>>;
    accept: string;
    /** False for an address that no person has set: it is public or nothing. */
    own?: boolean;
  },
): Promise<{ status: number; text: string }> {
  const found = await fetchPage({
    url,
    client,
    headers: {
      accept,
      ...(settings.web_fetch_user_agent === "" ? {} : { "user-agent": settings.web_fetch_user_agent }),
      ...headers,
    },
    max_bytes: MOST_BYTES,
    signal,
    privateAllowed: (to) => own && to.host === url.host,
    judgeHop: (from, to) => Promise.resolve(from.hostname === to.hostname ? "follow" : "tell"),
  });
  if (found.kind === "redirect") {
    throw new LuminaError("web.search", `${url.origin} redirects to ${found.to.origin}: set that address`);
  }
  const { status, headers: given, body } = found.answer;
  return { status, text: decodeText(body, given.get("content-type") ?? "") };
}
