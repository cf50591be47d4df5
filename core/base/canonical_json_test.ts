import assert from "node:assert/strict";
import fc from "fast-check";
import { canonicalJson } from "./canonical_json.ts";

Deno.test("canonicalJson() sorts keys by UTF-16 units, also numbers and __proto__", () => {
  const odd = JSON.parse('{"b":{"y":1,"x":[2,{"d":0,"c":-0}]},"10":1,"9":2,"__proto__":3,"a":"\\u2028"}');
  assert.equal(
    canonicalJson(odd),
    '{"10":1,"9":2,"__proto__":3,"a":"\u2028","b":{"x":[2,{"c":0,"d":0}],"y":1}}',
  );
  assert.equal(canonicalJson({ "9": 1, "10": 2 }), '{"10":2,"9":1}');
  assert.equal(canonicalJson({ "\ufb33": 1, "😀": 2 }), '{"😀":2,"\ufb33":1}');
});

Deno.test("canonicalJson() leaves undefined out of objects and writes it as null in lists", () => {
  assert.equal(canonicalJson({ a: undefined, b: [undefined, 1], c: null }), '{"b":[null,1],"c":null}');
});

Deno.test("canonicalJson() takes no shortcut through toJSON", () => {
  assert.equal(canonicalJson({ toJSON: undefined, a: new Date(0) }), '{"a":{}}');
  assert.throws(() => canonicalJson({ toJSON: () => 1 }), TypeError);
});

Deno.test("canonicalJson() refuses what JSON cannot hold", () => {
  for (const value of [NaN, Infinity, 1n, undefined, () => 1, Symbol("s")]) {
    assert.throws(() => canonicalJson(value), TypeError);
    assert.throws(() => canonicalJson({ a: [value === undefined ? NaN : value] }), TypeError);
  }
});

Deno.test("canonicalJson() gives equal values the same text, which reads back as the value", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => {
    const text = canonicalJson(value);
    const again = JSON.parse(text);
    assert.deepEqual(again, JSON.parse(JSON.stringify(value)));
    assert.equal(canonicalJson(again), text);
    assert.equal(canonicalJson(reversed(again)), text);
  }));
});

/** The same value with the keys of its objects the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).reverse().map(([key, item]) => [key, reversed(item)] as const);
  return Object.fromEntries(entries);
}
