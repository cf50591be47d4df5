import assert from "node:assert/strict";
import { skillParts, splitWords, substitute } from "./render_skill.ts";

const put = (text: string, args: string, names: string[] = []) => {
  let used = false;
  const given = { text: args, words: splitWords(args), names, variables: { LUMINA_SKILL_DIR: "/s/demo" } };
  const made = substitute(text, given, () => used = true);
  return [made, used];
};

Deno.test("words are split as a shell splits them", () => {
  assert.deepEqual(splitWords(`a "b c" 'd "e' f\\ g h"i j"k "" it's`), [
    "a",
    "b c",
    'd "e',
    "f g",
    "hi jk",
    "",
    "it's",
  ]);
  assert.deepEqual(splitWords("  "), []);
});

Deno.test("placeholders take the whole, positions from 0 and names", () => {
  assert.deepEqual(put("$ARGUMENTS", `a "b c"`), [`a "b c"`, true]);
  assert.deepEqual(put("[$ARGUMENTS[1]] [$ARGUMENTS[7]] $0. $1", `a "b c"`), ["[b c] [] a. b c", true]);
  assert.deepEqual(put("$file:$line ${file} $files", "x.ts 3", ["file", "line"]), [
    "x.ts:3 x.ts $files",
    true,
  ]);
  assert.deepEqual(put("in ${LUMINA_SKILL_DIR}/a.md", "x"), ["in /s/demo/a.md", false]);
});

Deno.test("what is no placeholder stays: prices, other variables, positions that were not given", () => {
  const text = "costs $5 or $0.50, $HOME, ${OTHER}, $ARGUMENTS_X, $1a";
  assert.deepEqual(put(text, "one"), [text, false]);
});

Deno.test("an argument brings no placeholder and no command", () => {
  assert.deepEqual(put("$0 and $ARGUMENTS", "$ARGUMENTS !`id`"), ["$ARGUMENTS and $ARGUMENTS !`id`", true]);
});

Deno.test("commands stand in !`…` and in fenced blocks that begin with ```!", () => {
  assert.deepEqual(skillParts("Diff: !`git diff`\n```!\nls\npwd\n```\nend `!` x!`no` \\!`no` !``"), [
    { kind: "text", text: "Diff: " },
    { kind: "command", command: "git diff", block: false },
    { kind: "text", text: "\n" },
    { kind: "command", command: "ls\npwd", block: true },
    { kind: "text", text: "\nend `!` x!`no` \\!`no` !``" },
  ]);
});

Deno.test("blocks without an end and commands behind many blocks are looked for once", () => {
  const open = "```! \n".repeat(40_000);
  assert.deepEqual(skillParts(open), [{ kind: "text", text: open }]);
  const parts = skillParts("```!\nx\n```\n".repeat(15_000) + "!`a`");
  assert.deepEqual([parts.length, parts.at(-1)], [30_001, { kind: "command", command: "a", block: false }]);
});
