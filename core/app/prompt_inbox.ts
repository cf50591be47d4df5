import type { Inbox } from "../agent/mod.ts";
import type { SessionPrompt } from "../cli/mod.ts";
import { promptHash } from "./prompt_hash.ts";

/** Puts a message where the run that goes on finds it at its next step. */
export function pushMessage(inbox: Inbox, message: SessionPrompt): void {
  const { key, ...said } = message;
  const once = key === undefined ? {} : { once: { key, request_hash: promptHash(message) } };
  inbox.push({ kind: "message", ...said, ...once });
}

/** The messages that no run has taken, as the prompts that they are then. */
export function takeMessages(inbox: Inbox): SessionPrompt[] {
  return inbox.takeMessages().map(({ text, media, once }) => ({
    text,
    ...(media === undefined ? {} : { media }),
    ...(once === undefined ? {} : { key: once.key }),
  }));
}
