import assert from "node:assert/strict";
import fc from "fast-check";
import { isAbsolute, normalize, sep } from "node:path";
import { EntryList, PACK_LIMITS } from "./entry_list.ts";
import { entryPath } from "./entry_path.ts";
import { quoted } from "../quoted.ts";

Deno.test("a list stops at the entry that makes it too many, too large or out of proportion", () => {
  const { entries, total_bytes, file_bytes, ratio, ratio_from } = PACK_LIMITS;
  const many = new EntryList();
  for (let index = 0; index < entries; index++) many.add({ path: `f${index}`, kind: "file", size: 0 });
  assert.throws(() => many.add({ path: "one more", kind: "file", size: 0 }), /more than 5000 entries/);
  const large = new EntryList();
  for (let index = 0; index < total_bytes / file_bytes; index++) {
    large.add({ path: `f${index}`, kind: "file", size: file_bytes });
  }
  assert.throws(() => large.add({ path: "x", kind: "file", size: 1 }), /unpacks to more than 256 MiB/);
  const packed = new EntryList();
  packed.add({ path: "small", kind: "file", size: ratio_from, packed: 1 });
  packed.add({ path: "text", kind: "file", size: 4 * ratio_from, packed: 4 * ratio_from / ratio });
  assert.throws(() => packed.add({ path: "x", kind: "file", size: ratio_from + 1, packed: 1 }), /bomb/);
  for (const size of [-1, NaN, 1.5, Infinity]) {
    assert.throws(() => new EntryList().add({ path: "x", kind: "file", size }), /no size|MiB/);
  }
});

Deno.test("entryPath(): whatever passes stays inside on every system and is the same after normalising", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "..",
      ".",
      "",
      "a",
      "CON",
      "con.txt",
      "C:",
      "~",
      "\\",
      "\0",
      " ",
      "a.",
      "é",
      "e\u0301",
      "\u202e",
    ),
    fc.string({ unit: "binary", maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
      const result = entryPath(pieces.join("/"));
      if ("problem" in result) {
        assert.ok(!/[\n\0]/.test(result.problem), result.problem);
        return;
      }
      const { path } = result;
      if (path === "") return;
      assert.equal(normalize(path), path.replaceAll("/", sep));
      assert.ok(!isAbsolute(path) && !path.split("/").includes("..") && !/[\\:\0]/.test(path), path);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("quoted() shows a stranger's name on one line without what a terminal obeys or hides", () => {
  assert.equal(quoted("a\nb\x1b[2J\u202e\u009b"), String.raw`"a\nb\u001b[2J\u{202e}\u{9b}"`);
  assert.ok(quoted("x".repeat(1000)).length < 130);
});
