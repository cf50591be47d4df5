import assert from "node:assert/strict";
import fc from "fast-check";
import { compilePattern } from "./compile_pattern.ts";
import { findLines } from "./find_lines.ts";
import { requiredLiteral } from "./required_literal.ts";

const piece = fc.constantFrom(
  "a",
  "b",
  "ab",
  "\\.",
  ".",
  "\\w",
  "[ab]",
  "[^a]",
  "(a|b)",
  "(?:ab)?",
  "a*",
  "b+",
  "a{2}",
  "b{0,2}",
  "^",
  "$",
  "\\b",
  "\\s",
  "é",
  "\\u0061",
  "a?",
  "(?=b)",
  "(?<!a)",
  "x|y",
  "\\s+",
);
const expression = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join("")).filter((
  text,
) => text !== "");
const line = fc.array(fc.constantFrom("a", "b", ".", " ", "é", "x", "A", "\t"), { maxLength: 6 }).map((
  chars,
) => chars.join(""));

Deno.test("The quick search over a text finds exactly the lines that match one by one", () => {
  fc.assert(
    fc.property(
      expression,
      fc.array(line, { maxLength: 6 }),
      fc.boolean(),
      fc.boolean(),
      (source, lines, fold, crlf) => {
        const pattern = compilePattern(source, { case_insensitive: fold });
        const text = lines.map((each) => each + (crlf ? "\r\n" : "\n")).join("");
        const expected = lines.flatMap((each, index) =>
          new RegExp(source, fold ? "iu" : "u").test(each) ? [index] : []
        );
        const found: number[] = [];
        findLines(text, pattern, (start) => {
          found.push(text.slice(0, start).split("\n").length - 1);
          return true;
        });
        assert.deepEqual(found, expected);
      },
    ),
    { numRuns: 2000 },
  );
});

Deno.test("Every match contains the text that the expression is said to require", () => {
  fc.assert(
    fc.property(expression, line, (source, text) => {
      const literal = requiredLiteral(source);
      const match = new RegExp(source, "u").exec(text);
      if (literal !== undefined && match !== null) assert.ok(match[0].includes(literal.text));
    }),
    { numRuns: 2000 },
  );
});

Deno.test("requiredLiteral names the longest plain piece, and none under an alternation", () => {
  const cases: [string, string | undefined, boolean][] = [
    ["needle", "needle", true],
    ["a\\.b\\(", "a.b(", true],
    ["class \\w+Error", "class ", false],
    ["colou?r", "colo", false],
    ["ab+c", "ab", false],
    ["foo|bar", undefined, false],
    ["(foo|bar)baz", "baz", false],
    ["[xyz]long{2}", "long", false],
    ["\\x41\\u{1F600}b", "b", false],
    ["\\d+", undefined, false],
  ];
  for (const [source, text, whole] of cases) {
    assert.deepEqual(requiredLiteral(source), text === undefined ? undefined : { text, whole }, source);
  }
});

Deno.test("Set operations compile, and the classes in them give no false plain text", () => {
  const pattern = compilePattern("[[a-z]--[aeiou]]x", {});
  assert.equal(pattern.line.unicodeSets, true);
  assert.equal(pattern.literal, undefined);
  assert.equal(pattern.line.test("bx"), true);
});
