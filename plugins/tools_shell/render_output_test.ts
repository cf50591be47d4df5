import assert from "node:assert/strict";
import { renderOutput, withoutPartialChar } from "./render_output.ts";

const raw = (text: string) => ({ head: new TextEncoder().encode(text), left_out: 0 });

Deno.test("renderOutput() keeps what fits and cuts the middle at line ends", () => {
  assert.deepEqual(renderOutput(raw("a\nb\n"), {}, 10), { text: "a\nb\n", cut: false, encodings: [] });
  const { text, cut } = renderOutput(raw("line one\nline two\nline three\nline four\n"), {}, 24);
  assert.equal(cut, true);
  assert.equal(text, "line one\n[… 20 characters left out …]\nline four\n");
});

Deno.test("renderOutput() never halves a character", () => {
  const { text } = renderOutput(raw("😀".repeat(1_000)), {}, 101);
  assert.ok(text.isWellFormed());
  const windows = {
    head: new TextEncoder().encode("你".repeat(10)).subarray(0, 29),
    left_out: 5,
    tail: new TextEncoder().encode("好".repeat(10)).subarray(1),
  };
  assert.equal(
    renderOutput(windows, {}, 100).text,
    `${"你".repeat(9)}\n[… more than 5 bytes left out …]\n${"好".repeat(9)}`,
  );
});

Deno.test("withoutPartialChar() takes only an unfinished character away", () => {
  const bytes = new TextEncoder().encode("aé😀");
  assert.equal(withoutPartialChar(bytes).length, 7);
  for (const length of [4, 5, 6]) assert.equal(withoutPartialChar(bytes.subarray(0, length)).length, 3);
  assert.equal(withoutPartialChar(bytes.subarray(0, 2)).length, 1);
  assert.equal(withoutPartialChar(new Uint8Array()).length, 0);
});
