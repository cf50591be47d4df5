import fc from "fast-check";
import assert from "node:assert/strict";
import { lazyShellParser } from "./parser.ts";
import { plainLine } from "./plain_line.ts";

const WORDS =
  ("true npm test git log --oneline -20 10 007 -3 1.5 ./src/a_b.ts ls -la a:b user@host %1 a,b +x 0x1f .. . - -- " +
    "cd echo if then fi for do done case esac function select in time coproc declare typeset export readonly local unset " +
    "let test command exec eval source printf read return set shift trap type ulimit wait 2 https://a.b/c_d.e-f")
    .split(" ");

Deno.test("plainLine() gives the very tree of the grammar, or none", async () => {
  const parse = await lazyShellParser()();
  let plain = 0;
  const same = (line: string) => {
    const tree = plainLine(line);
    if (tree === undefined) return;
    plain++;
    assert.deepEqual(tree, parse(line), line);
  };
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }),
      (words) => same(words.join(" ")),
    ),
    { numRuns: 3000 },
  );
  fc.assert(fc.property(fc.stringMatching(/^[A-Za-z0-9_.\/:@%+, -]{1,20}$/), same), { numRuns: 3000 });
  assert.ok(plain > 1000, String(plain));
});

Deno.test("plainLine() leaves everything with a meaning to the grammar", () => {
  for (
    const line of [
      "",
      " ls",
      "ls ",
      "ls  a",
      "a=1 ls",
      "ls *",
      "ls ~",
      "ls $x",
      "ls 'a'",
      'ls "a"',
      "ls \\a",
      "ls;ls",
      "ls|ls",
      "ls&",
      "ls>a",
      "ls\nls",
      "{ ls",
      "! ls",
      "[ a ]",
      "#ls",
      "ls é",
      "for i in a",
    ]
  ) assert.equal(plainLine(line), undefined, line);
});
