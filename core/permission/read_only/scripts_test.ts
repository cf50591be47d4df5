import assert from "node:assert/strict";
import { isReadingProgram } from "./awk_command.ts";
import { parseGitConfig } from "./git_config_file.ts";
import { isReadingScript } from "./sed_command.ts";

Deno.test("sed scripts that only edit the output are known", () => {
  for (
    const script of [
      "1,80p",
      "/a/,/b/p",
      "s/a/b/g",
      "s|a|b|2p",
      "$d",
      "/^#/d;s/x/y/",
      "1!G;h;$!d",
      "y/abc/xyz/",
      "/a/{s/b/c/;p}",
      "5q",
      "s/[[:space:]]*$//",
      "s/[^]]x//",
      "# w f\np",
      "2~3p",
      "/a/,+3p",
      "s/a\\/b/c/",
    ]
  ) assert.equal(isReadingScript(script), true, script);
});

Deno.test("sed scripts that write, read other files or run something are not", () => {
  for (
    const script of [
      "w f",
      "1w f",
      "s/a/b/w f",
      "s/a/b/gw f",
      "s/a/b/e",
      "s/a/b/pe",
      "e",
      "1e ls",
      "r f",
      "R f",
      "W f",
      "p;w f",
      "p\nw f",
      "{p;w f\n}",
      "/a/w f",
      "s/a/b/;w f",
      "s/[/]/w f",
      "s/a/b/\nw f",
      "a\\\ntext\nw f",
      "i\\",
      "c\\",
      "\\,a,w f",
      "}w f",
      "s/a/b/ ; e",
      "b end;w f",
      ":a;w f",
      "F",
      "s/x/y/m",
      "y/a/b/w f",
      "M",
      "s a b w",
      "1,2{w f",
    ]
  ) assert.equal(isReadingScript(script), false, script);
});

Deno.test("awk programs that only print are known, others not", () => {
  for (
    const program of [
      "{print $1}",
      "NR>1 && $3 > 100 {print $1}",
      '/"v"/ {print $4; exit}',
      "length($0) > 120",
      "/a|b/",
      "$1 ~ /x>y/ {print}",
      "{s += $1 / 2} END {print s / NR}",
      'BEGIN {print "a > b | c"}',
      "{if ($1 > 2) x++}",
      "a || b",
    ]
  ) assert.equal(isReadingProgram(program), true, program);
  for (
    const program of [
      'BEGIN{system("x")}',
      '{print > "f"}',
      '{print >> "f"}',
      '{printf "a" > "f"}',
      '{print | "sh"}',
      '{"x" | getline}',
      '{getline < "f"}',
      '@load "x"',
      "{@f()}",
      '{print $1,\n$2 > "f"}',
      '{print a / b > "f"}',
      '{x = a++ / b; print | "sh" }',
      '{print "a" \\\n > "f"}',
      '{print |& "x"}',
      '/[/]/ {print > "f"} #/',
      '{x = y /2; print > "f" /1}',
      "{ARGV[1]=1}",
    ]
  ) assert.equal(isReadingProgram(program), false, program);
});

Deno.test("git's settings are read with sections, subsections, continuations and comments", () => {
  assert.deepEqual(
    parseGitConfig('[Core]\n\tFsMonitor = a \\\n b\n# x\n[diff "A.b"] TextConv = "c d"\n[alias]\nx\n'),
    [
      { key: "core.fsmonitor", value: "a  b" },
      { key: "diff.A.b.textconv", value: "c d" },
      { key: "alias.x", value: "true" },
    ],
  );
});
