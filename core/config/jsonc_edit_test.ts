import fc from "fast-check";
import * as jsonc from "jsonc-parser";
import assert from "node:assert/strict";
import type { Json } from "../types/mod.ts";
import { editJsonc } from "./jsonc_edit.ts";

Deno.test("editJsonc() touches the value and its separators alone", () => {
  const cases: [string, (string | number)[], Json | undefined, string][] = [
    ['{"a":1}', ["b"], 2, '{"a":1, "b": 2}'],
    ['{"a":1,}', ["b"], 2, '{"a":1, "b": 2,}'],
    ['{\n  "a": 1 // one\n}', ["b"], 2, '{\n  "a": 1, // one\n  "b": 2\n}'],
    ['{\n  "a": 1, // one\n}', ["b"], 2, '{\n  "a": 1, // one\n  "b": 2,\n}'],
    ['{\n  "a": 1 /* , */\n  // end\n}', ["b"], 2, '{\n  "a": 1, /* , */\n  "b": 2\n  // end\n}'],
    ["{\n  // nothing\n}", ["a"], 1, '{\n  // nothing\n  "a": 1\n}'],
    ["{}", ["a", "b", 0], 1, '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}'],
    ['{ "a": null }', ["a", "b"], 1, '{ "a": {\n  "b": 1\n} }'],
    ['{"a":[1,2]}', ["a", 1], 3, '{"a":[1,3]}'],
    ['{"a":[1,2]}', ["a", 2], 3, '{"a":[1,2, 3]}'],
    ['{"a":[1,2]}', ["a", 0], undefined, '{"a":[2]}'],
    ['{"a":[1,2]}', ["a", 1], undefined, '{"a":[1]}'],
    ['{"a":[1,2,]}', ["a", 1], undefined, '{"a":[1,]}'],
    ['{\n  "a": 1,\n  // two\n  "b": 2\n}', ["b"], undefined, '{\n  "a": 1\n  // two\n}'],
    ['{\n  "a": 1, // one\n  "b": 2\n}', ["a"], undefined, '{\n  // one\n  "b": 2\n}'],
    ['{"a":1}', ["b"], undefined, '{"a":1}'],
  ];
  for (const [text, path, value, want] of cases) {
    assert.equal(editJsonc(text, path, value, jsonc), want, text);
  }
});

Deno.test("editJsonc() keeps strict JSON strict and gives the value that was set", () => {
  const key = fc.constantFrom("a", "b", "c", "__x");
  const json = fc.json({ maxDepth: 3 }).map((text): Json => JSON.parse(text));
  fc.assert(fc.property(
    fc.dictionary(key, json),
    key,
    fc.option(json, { nil: undefined }),
    fc.constantFrom("", "  ", "\t"),
    (before, name, value, indent) => {
      const after = editJsonc(JSON.stringify(before, null, indent), [name], value, jsonc);
      const want = { ...before };
      if (value === undefined) delete want[name];
      else want[name] = value;
      assert.deepEqual(JSON.parse(after ?? ""), JSON.parse(JSON.stringify(want)));
    },
  ));
});
