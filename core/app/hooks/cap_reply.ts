import { isJsonObject } from "../../types/mod.ts";
import type { HookReply, Json, JsonObject } from "../../types/mod.ts";

/** Characters of one text that a hook says. */
export const MOST_CHARS = 10_000;

/** Texts of an output that are shown or read; inputs and outputs of tools are no texts of the hook. */
const TEXTS = new Set([
  "additionalContext",
  "message",
  "permissionDecisionReason",
  "reason",
  "stopReason",
  "systemMessage",
]);

/** Keeps a text whole somewhere and says where. */
export type KeepText = (text: string) => Promise<string>;

/** The reply with every text within its limit; what is longer is kept whole elsewhere, and its end says where. */
export async function capReply(reply: HookReply, keep: KeepText): Promise<HookReply> {
  switch (reply.kind) {
    case "text":
      return { kind: "text", text: await capText(reply.text, keep) };
    case "block":
      return { kind: "block", reason: await capText(reply.reason, keep) };
    case "json":
      return { kind: "json", value: await capTexts(reply.value, keep) };
    default:
      return reply;
  }
}

async function capTexts(value: JsonObject, keep: KeepText): Promise<JsonObject> {
  const capped: JsonObject = {};
  for (const [key, inner] of Object.entries(value)) {
    let next: Json = inner;
    if (typeof inner === "string" && TEXTS.has(key)) next = await capText(inner, keep);
    else if (isJsonObject(inner) && (key === "hookSpecificOutput" || key === "decision")) {
      next = await capTexts(inner, keep);
    }
    capped[key] = next;
  }
  return capped;
}

async function capText(text: string, keep: KeepText): Promise<string> {
  if (text.length <= MOST_CHARS) return text;
  const note = `\n[… cut from ${text.length} characters; ${await keep(text)}]`;
  return `${text.slice(0, Math.max(0, MOST_CHARS - note.length))}${note}`.toWellFormed();
}
