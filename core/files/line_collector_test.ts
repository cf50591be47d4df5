import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeText } from "./encode_text.ts";
import { LineCollector } from "./line_collector.ts";

const all = { first: 1, count: 1000, line_bytes: 1000, total_bytes: 1_000_000 };

Deno.test("LineCollector finds the same lines however the bytes are cut, in every encoding", () => {
  const pieces = fc.array(fc.constantFrom("a", "bc", "é", "😀", "\n", "\r\n", "\r")).map((list) =>
    list.join("")
  );
  const property = fc.property(
    pieces,
    fc.constantFrom("utf-8" as const, "utf-16le" as const, "utf-16be" as const),
    fc.integer({ min: 1, max: 7 }),
    (text, encoding, step) => {
      const collector = new LineCollector(encoding, all);
      const bytes = encodeText(text, encoding);
      for (let at = 0; at < bytes.length; at += step) collector.push(bytes.slice(at, at + step));
      collector.finish();
      const lines = text.split(/\r\n|\r|\n/);
      if (lines.at(-1) === "") lines.pop();
      assert.deepEqual(collector.lines.map((line) => line.text), lines);
      assert.equal(collector.count, lines.length);
    },
  );
  fc.assert(property);
});

Deno.test("LineCollector keeps the window alone and counts the rest", () => {
  const collector = new LineCollector("utf-8", { first: 2, count: 2, line_bytes: 3, total_bytes: 100 });
  collector.push(new TextEncoder().encode("one\ntwo two\nthree\nfour\nfive"));
  assert.equal(collector.satisfied, true);
  collector.finish();
  assert.deepEqual(collector.lines, [{ text: "two", bytes: 7, cut: true }, {
    text: "thr",
    bytes: 5,
    cut: true,
  }]);
  assert.equal(collector.count, 5);
});
