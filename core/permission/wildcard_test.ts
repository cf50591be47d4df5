import assert from "node:assert/strict";
import fc from "fast-check";
import { hasWildcard, HOLE, matchCommand } from "./wildcard.ts";

Deno.test("a trailing blank and star want the end of a word", () => {
  for (const pattern of ["ls *", "ls:*"]) {
    assert.equal(matchCommand(pattern, "ls"), "yes");
    assert.equal(matchCommand(pattern, "ls -l a"), "yes");
    assert.equal(matchCommand(pattern, "lsof"), "no");
  }
  assert.equal(matchCommand("ls*", "lsof"), "yes");
});

Deno.test("a star anywhere spans blanks and :* elsewhere is literal", () => {
  assert.equal(matchCommand("git * main", "git push origin main"), "yes");
  assert.equal(matchCommand("git:* push", "git push"), "no");
  assert.equal(matchCommand("git:* push", "git:x push"), "yes");
  assert.equal(matchCommand("npm run test", "npm run test --x"), "no");
  assert.equal(hasWildcard("npm run:*"), true);
  assert.equal(hasWildcard("npm run"), false);
});

Deno.test("an unknown part matches for certain only a star", () => {
  assert.equal(matchCommand("rm *", `rm ${HOLE}`), "yes");
  assert.equal(matchCommand("git push *", `git ${HOLE}`), "maybe");
  assert.equal(matchCommand("git push", `git ${HOLE}`), "maybe");
  assert.equal(matchCommand("rm *", HOLE), "maybe");
  assert.equal(matchCommand("rm *", `r${HOLE} x`), "maybe");
  assert.equal(matchCommand("rm *", `echo ${HOLE}`), "no");
  assert.equal(matchCommand("rm", `r${HOLE}m`), "maybe");
});

Deno.test("what a filled hole makes match was never a certain no", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", " "), maxLength: 4 });
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", " ", "*"), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(pattern, text, text, text, (rule, before, filling, after) => {
      fc.pre(rule.trim() !== "");
      if (matchCommand(rule, before + filling + after) === "yes") {
        assert.notEqual(matchCommand(rule, before + HOLE + after), "no");
      }
    }),
    { numRuns: 2000 },
  );
});

Deno.test("matching stays linear for many stars", () => {
  const began = performance.now();
  matchCommand("*a".repeat(40) + "b", "a".repeat(10_000));
  assert.ok(performance.now() - began < 500);
});
