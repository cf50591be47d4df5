import assert from "node:assert/strict";
import { exitMeaning } from "./exit_meaning.ts";

const fails = (command: string, code = 1) => exitMeaning(command, code).failed;

Deno.test("exitMeaning() takes 1 of searching and comparing programs for an answer", () => {
  for (
    const command of [
      "grep -q 'a b' f",
      "A=1 /usr/bin/rg x",
      "git diff --exit-code",
      "cd src && grep -r foo .",
      "make; test -f x",
      "ps aux | grep foo | head -5",
      "false || [ -d x ]",
      'grep "a && make" f',
      "diff <(sort a) <(sort b) > out 2>&1",
      "find . -name x\n",
      "command -v rustc",
    ]
  ) assert.equal(fails(command), false, command);
});

Deno.test("exitMeaning() takes everything unclear for a failure", () => {
  for (
    const command of [
      "make",
      "make && grep x f",
      "make | grep error",
      "! grep x f",
      "if grep x f; then false; fi",
      "(grep x f)",
      "cat <<E | grep x\ngrep\nE",
      "x=$(grep a b)",
      "grep x f; make",
      "toString",
      "",
    ]
  ) assert.equal(fails(command), true, command);
  assert.equal(fails("grep x f", 2), true);
});

Deno.test("exitMeaning() names signals and the shell's own codes", () => {
  assert.equal(exitMeaning("x", 139).words, "killed by SIGSEGV");
  assert.equal(exitMeaning("x", 127).words, "command not found");
  assert.equal(exitMeaning("x", 3).words, "");
  assert.deepEqual(exitMeaning("make", 0), { words: "", failed: false });
});
