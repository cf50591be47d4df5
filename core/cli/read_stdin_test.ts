import assert from "node:assert/strict";
import { MAX_STDIN_BYTES, readLines } from "./read_stdin.ts";

/** Bytes as a stream of chunks of `size`. */
function chunked(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.subarray(at, at += size));
    },
  });
}

Deno.test("readLines() gives the same lines however the bytes are cut", async () => {
  const bytes = new TextEncoder().encode("one\r\n\ntwo 研究\nlast");
  for (let size = 1; size <= bytes.length; size++) {
    assert.deepEqual(await Array.fromAsync(readLines(chunked(bytes, size))), ["one", "", "two 研究", "last"]);
  }
});

Deno.test("readLines() takes a line of nearly the cap in small chunks, and refuses one over it", async () => {
  const bytes = new Uint8Array(MAX_STDIN_BYTES).fill(0x61);
  const [line] = await Array.fromAsync(readLines(chunked(bytes, 1024)));
  assert.equal(line?.length, MAX_STDIN_BYTES);
  const over = new Uint8Array(MAX_STDIN_BYTES + 1).fill(0x61);
  await assert.rejects(Array.fromAsync(readLines(chunked(over, 65_536))), { code: "cli.stdin" });
});
