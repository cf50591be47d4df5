import assert from "node:assert/strict";
import fc from "fast-check";
import { parseBoundedJson } from "./bounded_json.ts";

const parse = (text: string) => parseBoundedJson(new TextEncoder().encode(text));

Deno.test("parseBoundedJson() gives what JSON.parse gives, whatever stands in texts", () => {
  fc.assert(fc.property(fc.json({ maxDepth: 20 }), (text) => {
    assert.deepEqual(parse(text), JSON.parse(text));
  }));
  for (const text of ['"\\\\"', '["\\"[[", "\\\\\\"{"]', '{"a]":"\\\\\\\\"}']) {
    assert.deepEqual(parse(text), JSON.parse(text));
  }
});

Deno.test("parseBoundedJson() refuses depth, number of values and what is no JSON without quoting it", () => {
  assert.deepEqual(parse("[".repeat(64) + "]".repeat(64)) instanceof Array, true);
  assert.throws(() => parse("[".repeat(65) + "]".repeat(65)), /more than 64 deep/);
  assert.throws(() => parse(`[${"0,".repeat(200_000)}0]`), /more than 200000 values/);
  assert.equal((parse(`["${"[,{".repeat(200_000)}"]`) as string[])[0]?.length, 600_000);
  for (const text of ['"open', "secret", "", "[}"]) {
    assert.throws(() => parse(text), /^Error: a message that is not JSON$/);
  }
  assert.throws(() => parseBoundedJson(new Uint8Array([0x22, 0xff, 0x22])), /not UTF-8/);
});
