import assert from "node:assert/strict";
import { visibleControls } from "./visible_controls.ts";

Deno.test("visibleControls() shows what a terminal would obey, and leaves text as it is", () => {
  assert.equal(visibleControls("a\x1b[2J\x1b]52;c;eA==\x07b"), "a\\u{1b}[2J\\u{1b}]52;c;eA==\\u{7}b");
  assert.equal(visibleControls("\x9b31m \u202e \r done\b"), "\\u{9b}31m \\u{202e} \\u{d} done\\u{8}");
  for (const text of ["two\nlines\tof\r\ntext", "日本語 ünï 👩‍👩‍👧", ""]) {
    assert.equal(visibleControls(text), text);
  }
});
