import type { SessionState } from "../../session/mod.ts";
import type { Message } from "../../types/mod.ts";
import { textTokens } from "../context/token_count.ts";
import { cut } from "./summary_text.ts";

/** A file that the model had read and that is as it was then. */
export interface KeptFile {
  path: string;
  text: string;
}

export interface HeadParts {
  /** What the person asked for, oldest first. */
  requests: readonly string[];
  summary: string;
  files: readonly KeptFile[];
  /** Files that have changed, or are too long, since they were read. */
  other_files: readonly string[];
  /** What features and hooks want to be said again. */
  notes: readonly string[];
}

/** At most this many requests are kept, the first one among them. */
const MOST_REQUESTS = 12;

/**
 * The texts of the message that stands where the beginning of the conversation was. Each of its parts is bounded by a share of
 * `room` tokens.
 */
export function headTexts(
  { requests, summary, files, other_files, notes }: HeadParts,
  room: number,
): string[] {
  const texts = [
    "<compacted>\nThe conversation was too long: its beginning is gone, and this stands in its place. Go on from here; do not repeat what is done, and do not answer the requests below again.\n</compacted>",
  ];
  if (requests.length > 0) {
    const kept = bounded(requests, room * 0.12);
    texts.push(
      `<requests>\nWhat the person asked for, in their own words, oldest first:\n${
        kept.map((text) => `<request>\n${text}\n</request>`).join("\n")
      }\n</requests>`,
    );
  }
  texts.push(`<summary>\n${cutTokens(summary, room * 0.2)}\n</summary>`);
  for (const { path, text } of files) texts.push(`<file path="${path}">\n${text}\n</file>`);
  if (other_files.length > 0) {
    texts.push(
      `<files_read>\nRead earlier; read again what you need:\n${other_files.join("\n")}\n</files_read>`,
    );
  }
  let left = room * 0.15;
  for (const note of notes) {
    const text = cutTokens(note, left);
    left = Math.max(0, left - textTokens(text));
    if (text !== "") texts.push(text);
  }
  return texts;
}

/** What a person wrote in the messages before `until`; of a prompt without the facts of its moment. */
export function requestsOf(
  { messages, origins, requests }: Readonly<Pick<SessionState, "messages" | "origins" | "requests">>,
  until: number,
): string[] {
  const wanted = new Set(requests);
  return messages.slice(0, until).flatMap((message, index) => {
    if (!wanted.has(origins[index] ?? -1)) return [];
    const text = lastText(message).trim();
    return text === "" ? [] : [text];
  });
}

function lastText({ content }: Message): string {
  return content.findLast((block) => block.type === "text")?.text ?? "";
}

/** The first request and the last ones; the first one may take half of the budget. */
function bounded(requests: readonly string[], budget: number): string[] {
  const [first = "", ...rest] = requests;
  const start = cutTokens(first, budget / 2);
  let left = budget - textTokens(start);
  const kept: string[] = [];
  const candidates = rest.slice(-(MOST_REQUESTS - 1)).reverse();
  for (const [index, request] of candidates.entries()) {
    const text = cutTokens(request, left / Math.min(3, candidates.length - index));
    if (text === "") break;
    left -= textTokens(text);
    kept.unshift(text);
  }
  const omitted = rest.length - kept.length;
  return [start, ...omitted > 0 ? [`(${omitted} requests left out)`] : [], ...kept];
}

/** The beginning and the end of a text, at most about `tokens` tokens; empty where hardly any are left. */
export function cutTokens(text: string, tokens: number): string {
  const size = textTokens(text);
  if (size <= tokens) return text;
  if (tokens < 20) return "";
  return cut(text, Math.floor(text.length * tokens / size));
}
