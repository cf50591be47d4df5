import assert from "node:assert/strict";
import type { ImageBlock, Message } from "../types/mod.ts";
import { recentMedia } from "./recent_media.ts";

const image = (name: string, chars = 4): ImageBlock => ({
  type: "image",
  media_type: "image/png",
  data: "A".repeat(chars),
  name,
});
const shown = (name: string, chars?: number): Message => ({
  role: "user",
  content: [{
    type: "tool_result",
    call_id: name,
    content: "x",
    is_error: false,
    media: [image(name, chars)],
  }],
});
/** The names of what is still shown. */
function names(messages: readonly Message[]): string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) =>
      block.type === "tool_result" ? (block.media ?? []).map(({ name }) => name!) : []
    )
  );
}

Deno.test("a request carries at most 20 media; ten of the oldest give way at once, so that its beginning changes rarely", () => {
  const messages = Array.from({ length: 35 }, (_, index) => shown(`${index}`));
  const first = messages.slice(0, 20);
  assert.equal(recentMedia(first), first);
  for (const count of [21, 25, 30]) {
    assert.deepEqual(names(recentMedia(messages.slice(0, count)))[0], "10", `${count}`);
  }
  assert.equal(names(recentMedia(messages.slice(0, 31)))[0], "20");
  const [old] = recentMedia(messages)[0]!.content;
  assert.deepEqual(old, {
    type: "tool_result",
    call_id: "0",
    content:
      "x\n[image 0, image/png, 1 kB] was shown here and is shown no more: read it again when you need it",
    is_error: false,
  });
});

Deno.test("media that are too large together give way from the oldest on, and the newest always stays", () => {
  const messages = [shown("a", 12_000_000), shown("b", 12_000_000), shown("c", 12_000_000)];
  assert.deepEqual(names(recentMedia(messages)), ["b", "c"]);
  assert.deepEqual(names(recentMedia([shown("a"), shown("b", 30_000_000)])), ["b"]);
  const typed: Message[] = [
    { role: "user", content: [{ type: "text", text: "look" }, image("a", 20_000_000)] },
    shown("b", 20_000_000),
  ];
  assert.match(
    JSON.stringify(recentMedia(typed)[0]),
    /"look".*\[image a, image\/png, 15000 kB\] was shown here/,
  );
});
