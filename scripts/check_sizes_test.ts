import assert from "node:assert/strict";
import { findOversize, medianLines } from "./check_sizes.ts";

const file = (path: string, lines: number) => ({ path, text: "x\n".repeat(lines) });

Deno.test("a file over 500 lines is a breach, tests included; 500 is none", () => {
  assert.deepEqual(findOversize([file("core/base/a.ts", 500), file("tests/b.ts", 501)]).slice(0, 1), [
    "tests/b.ts:500: 501 lines, at most 500",
  ]);
});

Deno.test("files that wire or loop have tighter limits", () => {
  const files = [file("core/app/compose.ts", 301), file("core/agent/run_agent.ts", 301), file("main.ts", 41)];
  assert.equal(
    findOversize([...files, file("core/a.ts", 1), file("core/b.ts", 1), file("core/c.ts", 1)]).length,
    3,
  );
});

Deno.test("the median counts sources alone", () => {
  const files = [file("core/a.ts", 121), file("core/a_test.ts", 1), file("tests/b.ts", 1)];
  assert.equal(medianLines(files), 121);
  assert.deepEqual(findOversize(files), ["the median source file has 121 lines, at most 120"]);
});
