import type { Json, JsonObject } from "../../../types/mod.ts";
import type { Masker } from "./mask_text.ts";
import type { Transcript } from "./transcript.ts";

/** A title that was cut off ends with a part of a word: half a secret is not known for one. */
function wholeWords(title: string): string {
  return title.replace(/\S*…$/u, "…");
}

/** A transcript without secrets and without what names a person. Ids, times and figures stay as they are. */
export function maskTranscript({ session, messages }: Transcript, masker: Masker): Transcript {
  return {
    session: {
      ...session,
      title: masker.text(wholeWords(session.title)),
      cwd: masker.text(session.cwd),
      model: masker.text(session.model),
    },
    messages: messages.map((message) => ({
      ...message,
      text: masker.text(message.text),
      ...(message.model === undefined ? {} : { model: masker.text(message.model) }),
      ...(message.thinking === undefined ? {} : { thinking: masker.text(message.thinking) }),
      ...(message.tools === undefined ? {} : {
        tools: message.tools.map(({ name, input, result, failed }) => ({
          name: masker.text(name),
          input: masker.json(input as Json) as JsonObject,
          result: result === null ? null : masker.text(result),
          failed,
        })),
      }),
    })),
  };
}
