import assert from "node:assert/strict";
import { shownPath } from "./visible_text.ts";

Deno.test("a name with a line break or a control character stays on one line", () => {
  assert.equal(shownPath("a\nb\tc\r\x1b[31m"), "a\\nb\\tc\\r\\x1B[31m");
  assert.equal(shownPath("täglich/名.txt"), "täglich/名.txt");
});
