import { isJsonObject, type Json, type JsonObject } from "../../types/mod.ts";

export type Wire = "anthropic" | "openai";

/** The wire that a request path speaks; undefined for any other path. */
export function wireOfPath(path: string): Wire | undefined {
  const plain = path.split("?", 1)[0] ?? "";
  if (plain.endsWith("/messages")) return "anthropic";
  if (plain.endsWith("/chat/completions")) return "openai";
  return undefined;
}

/** The messages of a request body, of either wire. */
export function requestMessages(body: JsonObject): JsonObject[] {
  return Array.isArray(body.messages) ? body.messages.filter(isJsonObject) : [];
}

/**
 * What the user or the tools said last: the texts and tool results after the last assistant message, one a line. This is
 * what a turn's `match` and `capture` look at.
 */
export function lastUserText(body: JsonObject): string {
  const messages = requestMessages(body);
  let from = messages.length;
  while (from > 0 && messages[from - 1]?.role !== "assistant") from--;
  return messages.slice(from)
    .filter((message) => message.role === "user" || message.role === "tool")
    .map((message) => textOf(message.content)).join("\n");
}

/** The blocks of a content that is either a list of blocks or a plain text. */
export function contentBlocks(content: Json | undefined): JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

function textOf(content: Json | undefined): string {
  return contentBlocks(content).map((block) => {
    if (block.type === "tool_result") return textOf(block.content);
    return typeof block.text === "string" ? block.text : "";
  }).filter((text) => text !== "").join("\n");
}
