import assert from "node:assert/strict";
import { NO_USAGE } from "../../../types/mod.ts";
import { Masker } from "./mask_text.ts";
import { maskTranscript } from "./mask_transcript.ts";

Deno.test("of a secret that a title was cut off in nothing is left", () => {
  const secret = "plain-words-of-a-secret-without-any-form";
  const prompt = `Look at this value, which is long enough to be cut off: ${secret}`;
  const masker = new Masker({ secrets: [secret], home: "/home/maria", user: "maria", emails: false });
  const of = (title: string) => {
    const figures = { runs: 1, turns: 1, cost_usd: null, status: "success", usage: NO_USAGE };
    const session = { session_id: "s", title, cwd: "/w", model: "m", created: "", updated: "", ...figures };
    return maskTranscript({ session, messages: [] }, masker).session.title;
  };
  assert.equal(of(`${prompt.slice(0, 79)}…`), "Look at this value, which is long enough to be cut off: …");
  assert.equal(of(`Say ${secret}`), "Say [masked]");
  assert.equal(of("A title with … in it"), "A title with … in it");
});
