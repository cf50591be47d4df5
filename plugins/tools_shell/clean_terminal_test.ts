import assert from "node:assert/strict";
import { cleanTerminal } from "./clean_terminal.ts";

Deno.test("cleanTerminal() takes colours, titles, links and character sets away", () => {
  assert.equal(
    cleanTerminal("\x1b[1;31mred\x1b[0m \x1b]8;;http://x\x1b\\link\x1b]8;;\x07 \x1b(Bend"),
    "red link end",
  );
});

Deno.test("cleanTerminal() shows the last state of a redrawn line", () => {
  assert.equal(cleanTerminal("a\rbc\r\nd\r\r\n\re\r"), "bc\nd\ne");
});

Deno.test("cleanTerminal() resolves overstrikes and never crosses a line", () => {
  assert.equal(cleanTerminal("N\bNA\bAME\n\b\bx"), "NAME\nx");
});

Deno.test("cleanTerminal() writes other control characters as escapes and keeps tabs", () => {
  assert.equal(cleanTerminal("a\tb\0\x07\x0c\x7f\x9b"), "a\tb\\x00\\x0c\\x7f\\x9b");
});

Deno.test("cleanTerminal() takes time in proportion to the text, whatever it holds", () => {
  const started = performance.now();
  for (const unit of ["\r", "\b", "\x1b", "\x1b]", "\x1b[1", "\x1bP", "a\r\n", "\x1b[ "]) {
    cleanTerminal(unit.repeat(200_000));
  }
  assert.ok(performance.now() - started < 5_000);
});
