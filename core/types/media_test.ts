import assert from "node:assert/strict";
import { mediaBytes, mediaLabel, mediaTokens } from "./media.ts";
import { withoutMedia } from "./without_media.ts";
import type { ImageBlock, MediaBlock } from "./media.ts";
import type { Message } from "./message.ts";

const IMAGE: ImageBlock = {
  type: "image",
  media_type: "image/png",
  data: "A".repeat(40_000),
  name: "a.png",
  width: 300,
  height: 200,
};
const PDF: MediaBlock = { type: "document", media_type: "application/pdf", data: "AA==", pages: 3 };

Deno.test("media are counted by their pixels and pages, never by their base64", () => {
  assert.equal(mediaBytes(PDF), 1);
  assert.equal(mediaBytes({ ...IMAGE, data: "AAA=" }), 2);
  assert.equal(mediaTokens(IMAGE), 80);
  assert.equal(mediaTokens({ ...IMAGE, width: 4000, height: 4000 }), 1600);
  assert.equal(mediaTokens(PDF), 7500);
  assert.equal(mediaLabel(IMAGE), "[image a.png, image/png, 30 kB]");
});

Deno.test("withoutMedia() leaves words and results where they are, and a history without media alone", () => {
  const text = { type: "text" as const, text: "look" };
  const result = { type: "tool_result" as const, call_id: "c", content: "shown", is_error: false };
  const messages: Message[] = [
    { role: "user", content: [text, IMAGE] },
    { role: "assistant", content: [text] },
    { role: "user", content: [{ ...result, media: [PDF] }] },
  ];
  assert.deepEqual(withoutMedia(messages), {
    messages: [{ role: "user", content: [text] }, messages[1], { role: "user", content: [result] }],
    tokens: 7580,
  });
  const plain = messages.slice(1, 2);
  assert.equal(withoutMedia(plain).messages, plain);
});
