import { canonicalJson, sha256 } from "../base/mod.ts";
import type { SessionPrompt } from "../cli/mod.ts";
import type { Json } from "../types/mod.ts";

/** SHA-256 of what a prompt says, by which a repeated key is known to ask for the same. */
export function promptHash({ text, media }: SessionPrompt): string {
  return sha256(canonicalJson(media === undefined ? text : [text, media as unknown as Json]));
}
