import assert from "node:assert/strict";
import { hasherFor, loadNativeHash, sha256 } from "./hash.ts";

/** The empty message, and the example of two blocks of FIPS 180. */
const KNOWN: [string, string][] = [
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  [
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  ],
];

Deno.test("sha256() and the hashers agree before and after the runtime's own implementation is loaded", async () => {
  const inputs = [...KNOWN.map(([text]) => text), "名\u0000", "x".repeat(100_000)];
  const pieces = async (text: string, size: number) => {
    const hasher = await hasherFor(size);
    const bytes = new TextEncoder().encode(text);
    hasher.update(bytes.subarray(0, 7));
    hasher.update(bytes.subarray(7));
    return hasher.hex();
  };
  const before = inputs.map((text) => sha256(text));
  assert.deepEqual(before.slice(0, 2), KNOWN.slice(0, 2).map(([, hash]) => hash));
  assert.deepEqual(await Promise.all(inputs.map((text) => pieces(text, 10))), before);
  await loadNativeHash();
  assert.deepEqual(inputs.map((text) => sha256(text)), before);
  assert.deepEqual(inputs.map((text) => sha256(new TextEncoder().encode(text))), before);
  assert.deepEqual(await Promise.all(inputs.map((text) => pieces(text, 10_000_000))), before);
});
