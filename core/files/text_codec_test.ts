import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeText } from "./decode_text.ts";
import { encodedLength, encodeText } from "./encode_text.ts";
import { foldedView } from "./folded_view.ts";
import { lineEndAround, lineView } from "./line_view.ts";
import { normalFormView } from "./normal_form_view.ts";
import { detectTextFormat } from "./text_format.ts";
import { plainView } from "./text_view.ts";
import { hiddenText, visibleText } from "./visible_text.ts";

const bytesOf = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

Deno.test("decodeText() and encodeText() give back any bytes", () => {
  const mixed = fc.array(
    fc.oneof(
      fc.uint8Array({ maxLength: 6 }),
      fc.string({ unit: "binary" }).map((s) => new TextEncoder().encode(s)),
    ),
  ).map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])));
  fc.assert(fc.property(mixed, (bytes) => {
    const text = decodeText(bytes, "utf-8");
    assert.deepEqual([...encodeText(text, "utf-8")], [...bytes]);
    assert.equal(encodedLength(text, "utf-8"), bytes.length);
    const even = bytes.subarray(0, bytes.length & ~1);
    for (const encoding of ["utf-16le", "utf-16be"] as const) {
      assert.deepEqual([...encodeText(decodeText(bytes, encoding), encoding)], [...even]);
    }
  }));
});

Deno.test("decodeText() keeps valid text and shows each invalid byte alone", () => {
  const cases: [string, string][] = [
    ["c3a9", "é"],
    ["f09f9880", "😀"],
    ["c3", "\\xC3"],
    ["c0af", "\\xC0\\xAF"], // over-long
    ["eda080", "\\xED\\xA0\\x80"], // a surrogate
    ["f4908080", "\\xF4\\x90\\x80\\x80"], // above U+10FFFF
    ["61e9623a", "a\\xE9b:"],
    ["e4bda0e5a5", "你\\xE5\\xA5"],
  ];
  for (const [hex, shown] of cases) {
    assert.equal(visibleText(decodeText(bytesOf(hex), "utf-8")).text, shown, hex);
  }
});

Deno.test("hiddenText() undoes visibleText() for bytes that are not UTF-8", () => {
  const text = decodeText(bytesOf("61e962ff00"), "utf-8");
  assert.equal(visibleText(text).text, "a\\xE9b\\xFF\\x00");
  assert.equal(hiddenText("a\\xE9b\\xFF\\x00"), text);
  assert.equal(hiddenText("\\x41 stays"), "\\x41 stays");
});

Deno.test("detectTextFormat() tells marks, encodings and binary kinds apart", () => {
  assert.deepEqual(detectTextFormat(bytesOf("efbbbf61")), { encoding: "utf-8", bom: 3 });
  assert.deepEqual(detectTextFormat(bytesOf("fffe6100")), { encoding: "utf-16le", bom: 2 });
  assert.deepEqual(detectTextFormat(bytesOf("feff0061")), { encoding: "utf-16be", bom: 2 });
  assert.deepEqual(detectTextFormat(encodeText("plain text\r\n", "utf-16le")), {
    encoding: "utf-16le",
    bom: 0,
  });
  assert.deepEqual(detectTextFormat(encodeText("plain text\r\n", "utf-16be")), {
    encoding: "utf-16be",
    bom: 0,
  });
  assert.deepEqual(detectTextFormat(bytesOf("61e962")), { encoding: "utf-8", bom: 0 });
  assert.deepEqual(detectTextFormat(new Uint8Array(0)), { encoding: "utf-8", bom: 0 });
  assert.deepEqual(detectTextFormat(bytesOf("89504e470d0a1a0a00")), { binary: "PNG image" });
  assert.deepEqual(detectTextFormat(bytesOf("fffe0000")), { binary: "UTF-32 text" });
  assert.deepEqual(detectTextFormat(bytesOf("6100000102ff")), { binary: "binary data" });
});

Deno.test("a view leads from its offsets to those of the source and back", () => {
  const source = "a\r\ne\u0301x\r…b\u00e9“c”";
  const view = foldedView(normalFormView(lineView(plainView(source))));
  assert.equal(view.text, 'a\n\u00e9x\n...b\u00e9"c"');
  for (let offset = 0; offset <= view.text.length; offset++) {
    const there = view.toSource(offset);
    if (there >= 0) assert.equal(view.toView(there), offset);
    else assert.ok(view.text.slice(5, 8) === "..." && (offset === 6 || offset === 7), `offset ${offset}`);
  }
  assert.equal(view.toSource(view.text.length), source.length);
  assert.equal(view.toView(2), -1); // between CR and LF
  assert.equal(view.toView(4), -1); // between a letter and its mark
});

Deno.test("normalFormView() gives the text in normal form C for any text", () => {
  const letters = fc.constantFrom(
    "a",
    "e",
    "\u0301",
    "\u0323",
    "\u1112",
    "\u1161",
    "\u11ab",
    "\u212b",
    "你",
    "😀",
    "\n",
  );
  fc.assert(fc.property(fc.array(letters).map((all) => all.join("")), (text) => {
    assert.equal(normalFormView(plainView(text)).text, text.normalize("NFC"));
  }));
});

Deno.test("lineEndAround() takes the line end after the span, else the one before", () => {
  assert.equal(lineEndAround("a\r\nb\nc", 0, 1), "\r\n");
  assert.equal(lineEndAround("a\r\nb\nc", 3, 4), "\n");
  assert.equal(lineEndAround("a\r\nb", 3, 4), "\r\n");
  assert.equal(lineEndAround("a\rb", 2, 3), "\r");
  assert.equal(lineEndAround("ab", 0, 1), "\n");
});
