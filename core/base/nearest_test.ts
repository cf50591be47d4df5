import assert from "node:assert/strict";
import { nearest } from "./nearest.ts";

Deno.test("nearest() finds typing errors: a swap, a missing and a wrong letter; nothing farther", () => {
  assert.equal(nearest("hihg", ["low", "medium", "high", "max"]), "high");
  assert.equal(nearest("--modle", ["--model", "--mode"]), "--model");
  assert.equal(nearest("acept-edits", ["accept-edits", "ask"]), "accept-edits");
  assert.equal(nearest("zzz", ["ask", "auto"]), undefined);
});
