import type { Json, JsonObject, StoredEvent } from "../../../types/mod.ts";

/** Texts that say how something went and not what was said: they stay. Everything else is told by its length. */
const KEPT = new Set([
  "attempt",
  "behavior",
  "by",
  "call_id",
  "chain",
  "code",
  "effect",
  "from",
  "lumina_version",
  "message_id",
  "mode",
  "model",
  "moment",
  "name",
  "origin",
  "parent_id",
  "problem",
  "project_id",
  "repeat",
  "role",
  "scope",
  "session_id",
  "snapshot",
  "source",
  "status",
  "stop",
  "to",
  "tool",
  "type",
]);

/** Lists of names, which say nothing about the work. */
const KEPT_LISTS = new Set(["tools"]);

/** An event as a report without texts shows it. */
export function eventOutline({ payload, ...event }: StoredEvent): JsonObject {
  return { ...event, payload: outline(payload, "") };
}

function outline(value: Json, key: string): Json {
  if (typeof value === "string") {
    // what an error says is what a report is for; a message of the conversation is an object
    return KEPT.has(key) || key === "message" ? value : `(${value.length} characters)`;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    if (KEPT_LISTS.has(key)) return value;
    return value.map((item) => outline(item, ""));
  }
  // keys of a tool's input and data are chosen by others, and so may be texts
  if (key === "input" || key === "data") return `(${JSON.stringify(value).length} characters)`;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, outline(item, name)]));
}
