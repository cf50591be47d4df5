import assert from "node:assert/strict";
import { onlyWhere } from "./skip.ts";

Deno.test("a test that is skipped says why in its name, another keeps its name", () => {
  assert.deepEqual(onlyWhere("a claim", true, "git is not installed"), { name: "a claim", ignore: false });
  assert.deepEqual(onlyWhere("a claim", false, "git is not installed"), {
    name: "a claim (skipped: git is not installed)",
    ignore: true,
  });
});
