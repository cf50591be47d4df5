import assert from "node:assert/strict";
import { parseCommand, typedArgs } from "./parse_command.ts";
import { splitWords } from "./split_words.ts";

Deno.test("parseCommand() reads /name and what follows it, and nothing that only begins with a slash", () => {
  const cases: [string, { name: string; args: string } | undefined][] = [
    ["/help", { name: "help", args: "" }],
    ["  /help  me \n", { name: "help", args: "me" }],
    ["/git:fix-2 1 2", { name: "git:fix-2", args: "1 2" }],
    ["/部署 生产", { name: "部署", args: "生产" }],
    ["/review\nline two", { name: "review", args: "line two" }],
    ["/usr/bin/env is what?", undefined],
    ["/", undefined],
    ["/ help", undefined],
    ["/* a comment */", undefined],
    ["//help", undefined],
    ["/etc, /usr", undefined],
    ["help", undefined],
    ["say /help", undefined],
  ];
  for (const [text, expected] of cases) assert.deepEqual(parseCommand(text), expected, text);
});

Deno.test("typedArgs() leaves piped input out", () => {
  assert.equal(typedArgs("opus\n\n<stdin>\na file\n</stdin>"), "opus");
  assert.equal(typedArgs("<stdin>\na file\n</stdin>"), "");
  assert.equal(typedArgs("a <stdin> b"), "a <stdin> b");
});

Deno.test("splitWords() splits at blanks and keeps what quotes and backslashes hold together", () => {
  assert.deepEqual(splitWords(""), []);
  assert.deepEqual(splitWords(`a  "b c" 'd "e' f\\ g "" x"y"z`), ["a", "b c", 'd "e', "f g", "", "xyz"]);
  assert.throws(() => splitWords(`a "b`), { message: /^The quote " is not closed/ });
});
